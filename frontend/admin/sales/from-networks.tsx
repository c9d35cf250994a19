import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useFormat } from "../../i18n/use-format.ts";
import { acceptRate } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { DecisionPreview } from "../decisions/decision-preview.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { ratePreviewQuery } from "../decisions/preview-queries.ts";
import type { Networks } from "../shapes.ts";
import { networkName } from "../words.ts";
import { networksQuery } from "./queries.ts";

/** What networks and rate feeds sent that waits for a person; nothing if there is none. docs/product.md#sales-unread */
export function FromNetworks() {
  const { data } = useQuery(networksQuery);
  if (!data) return null;
  return (
    <>
      {data.failing.length > 0 && <FailingAccounts accounts={data.failing} />}
      {data.doubtful_rates.length > 0 && <DoubtfulRates rates={data.doubtful_rates} />}
      {data.unread_rows.length > 0 && <UnreadRows rows={data.unread_rows} />}
    </>
  );
}

function FailingAccounts({ accounts }: { accounts: Networks["failing"] }) {
  const { dateTime } = useFormat();
  return (
    <section aria-labelledby="failing-accounts" className="grid gap-3">
      <h2 id="failing-accounts" className="section-title">
        Redes que não respondem
      </h2>
      <p className="muted">As vendas destas contas chegam atrasadas; nenhuma se perde.</p>
      <ul className="grid gap-3">
        {accounts.map(({ network, account, reason, since }) => (
          <li key={`${network} ${account}`}>
            <strong>
              {networkName(network)} ({account})
            </strong>{" "}
            · desde {dateTime(since)}: {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

type Rate = Networks["doubtful_rates"][number];

function DoubtfulRates({ rates }: { rates: readonly Rate[] }) {
  const [accepting, setAccepting] = useState<Rate>();
  const { date, fxRate } = useFormat();
  return (
    <section aria-labelledby="doubtful-rates" className="grid gap-3">
      <h2 id="doubtful-rates" className="section-title">
        Cotações que mudaram mais de 10% num dia
      </h2>
      <p className="muted">As vendas destas moedas esperam. Confira com o Banco Central antes de aceitar.</p>
      <ul className="grid gap-3">
        {rates.map((rate) => (
          <li key={`${rate.currency} ${rate.day}`}>
            <strong>
              {rate.currency}, {date(rate.day)}:
            </strong>{" "}
            <span>
              {fxRate(rate.rate)} (antes {fxRate(rate.previous)})
            </span>{" "}
            <PermittedButton permission="payments" className="button" onClick={() => setAccepting(rate)}>
              Aceitar cotação
            </PermittedButton>
          </li>
        ))}
      </ul>
      {accepting && <AcceptDialog rate={accepting} onClose={() => setAccepting(undefined)} />}
    </section>
  );
}

function AcceptDialog({ rate: { currency, day, rate, previous }, onClose }: { rate: Rate; onClose: () => void }) {
  const { date, fxRate } = useFormat();
  return (
    <DecisionDialog
      title={`Aceitar a cotação de ${currency} de ${date(day)}?`}
      text="As vendas deste dia que esperam por ela seguem, e o que pagarem conta como decisão sua."
      mayPay
      consequences={[
        ["Cotação", fxRate(rate)],
        ["Antes", fxRate(previous)],
      ]}
      action="Aceitar cotação"
      done="Cotação aceita."
      decide={() => acceptRate(currency, day)}
      preview={<DecisionPreview preview={useQuery(ratePreviewQuery(currency, day))} />}
      onClose={onClose}
    />
  );
}

function UnreadRows({ rows }: { rows: Networks["unread_rows"] }) {
  const { dateTime } = useFormat();
  return (
    <section aria-labelledby="unread-rows" className="grid gap-3">
      <h2 id="unread-rows" className="section-title">
        Linhas das redes que não foram lidas
      </h2>
      <p className="muted">As outras vendas seguem. Cada linha é pedida de novo à rede, cada vez com mais intervalo.</p>
      <ul className="grid gap-3">
        {rows.map((row) => (
          <li key={`${row.network} ${row.account} ${row.text}`}>
            <strong>
              {networkName(row.network)} ({row.account})
            </strong>
            {row.sale_key && <> · venda {row.sale_key}</>} · desde {dateTime(row.first_at)}
            <details>
              <summary>{row.problem}</summary>
              <pre className="whitespace-pre-wrap break-all">{row.text}</pre>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
