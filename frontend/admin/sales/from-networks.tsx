import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useFormat } from "../../i18n/use-format.ts";
import { acceptRate } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { DecisionPreview } from "../decisions/decision-preview.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { ratePreviewQuery } from "../decisions/preview-queries.ts";
import style from "../panel.module.css";
import { RichText } from "../rich-text.tsx";
import type { Networks } from "../shapes.ts";
import { t } from "../texts.ts";
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
        {t("networks.failing.title")}
      </h2>
      <p className="muted">{t("networks.failing.text")}</p>
      <ul className="grid gap-3">
        {accounts.map(({ network, account, reason, since }) => (
          <li key={`${network} ${account}`}>
            <RichText
              id="networks.failing"
              account={
                <strong>
                  {networkName(network)} ({account})
                </strong>
              }
              since={dateTime(since)}
              reason={reason}
            />
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
        {t("rates.title")}
      </h2>
      <p className="muted">{t("rates.text")}</p>
      <ul className="grid gap-3">
        {rates.map((rate) => (
          <li key={`${rate.currency} ${rate.day}`}>
            <strong>
              {rate.currency}, {date(rate.day)}:
            </strong>{" "}
            <span>{t("rates.changed", { rate: fxRate(rate.rate), previous: fxRate(rate.previous) })}</span>{" "}
            <PermittedButton permission="payments" className="button" onClick={() => setAccepting(rate)}>
              {t("rates.action")}
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
      title={t("rates.accept.title", { currency, day: date(day) })}
      text={t("rates.accept.text")}
      mayPay
      consequences={[
        [t("rates.rate"), fxRate(rate)],
        [t("rates.previous"), fxRate(previous)],
      ]}
      action={t("rates.action")}
      done={t("rates.done")}
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
        {t("networks.unread.title")}
      </h2>
      <p className="muted">{t("networks.unread.text")}</p>
      <ul className="grid gap-3">
        {rows.map((row) => (
          <li key={`${row.network} ${row.account} ${row.text}`}>
            <RichText
              id={row.sale_key ? "networks.unreadSale" : "networks.unread"}
              account={
                <strong>
                  {networkName(row.network)} ({row.account})
                </strong>
              }
              sale={row.sale_key}
              since={dateTime(row.first_at)}
            />
            <details>
              <summary>{row.problem}</summary>
              <pre className={style.lines}>{row.text}</pre>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
