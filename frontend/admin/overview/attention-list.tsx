import { Link } from "react-router";
import { ownValue } from "../../../core/rules/records.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Icon } from "../../ui/icon.tsx";
import { viewHref } from "../list/list-address.ts";
import type { Attention } from "../shapes.ts";
import { newWord, pauseReason } from "../words.ts";
import { faultHref, faultWords } from "./fault-words.ts";

type Counted = { count: number; words: readonly [one: string, many: string]; href: string; isUrgent?: boolean };

/** Open tasks, each linked to its place, the urgent ones first. */
const countedOf = (attention: Attention): Counted[] => [
  {
    count: attention.failed_payments,
    words: ["pagamento que falhou", "pagamentos que falharam"],
    href: viewHref({ view: "payments" }, { state: "failed" }),
    isUrgent: true,
  },
  {
    count: attention.open_approvals,
    words: ["pagamento espera uma segunda pessoa", "pagamentos esperam uma segunda pessoa"],
    href: viewHref({ view: "approvals" }, { state: "open" }),
    isUrgent: true,
  },
  {
    count: attention.refused_payouts,
    words: ["pagamento recusado espera nova decisão", "pagamentos recusados esperam nova decisão"],
    href: viewHref({ view: "approvals" }, { state: "refused" }),
    isUrgent: true,
  },
  {
    count: attention.open_percents,
    words: ["percentual espera uma segunda pessoa", "percentuais esperam uma segunda pessoa"],
    href: viewHref({ view: "approvals" }, { state: "open" }),
    isUrgent: true,
  },
  {
    count: attention.open_proposals ?? 0,
    words: ["mudança espera uma segunda pessoa ou o seu dia", "mudanças esperam uma segunda pessoa ou o seu dia"],
    href: viewHref({ view: "approvals" }, { state: "open" }),
    isUrgent: true,
  },
  {
    count: attention.held_sales,
    words: ["venda retida", "vendas retidas"],
    href: viewHref({ view: "sales" }, { state: "held" }),
    isUrgent: true,
  },
  {
    count: attention.overdue_sales,
    words: ["venda que a rede não decide há tempo demais", "vendas que as redes não decidem há tempo demais"],
    href: viewHref({ view: "sales" }, { state: "open" }),
  },
  {
    count: attention.waiting_accounts,
    words: ["conta usou o seu crédito", "contas usaram o seu crédito"],
    href: viewHref({ view: "accounts" }),
    isUrgent: true,
  },
  {
    count: attention.unset_credits,
    words: ["conta sem crédito definido", "contas sem crédito definido"],
    href: viewHref({ view: "accounts" }),
  },
  {
    count: attention.open_claims,
    words: ["reclamação aberta", "reclamações abertas"],
    href: viewHref({ view: "claims" }, { state: "open" }),
    isUrgent: true,
  },
  {
    count: attention.doubtful_rates,
    words: ["cotação que mudou demais", "cotações que mudaram demais"],
    href: viewHref({ view: "sales" }),
    isUrgent: true,
  },
  {
    count: attention.unread_rows,
    words: ["linha de uma rede que não foi lida", "linhas das redes que não foram lidas"],
    href: viewHref({ view: "sales" }),
  },
  {
    count: attention.failed_operations,
    words: ["transação que falhou ou foi recusada", "transações que falharam ou foram recusadas"],
    href: viewHref({ view: "operations" }),
    isUrgent: true,
  },
  {
    count: attention.foreign_transactions,
    words: ["transação de fora na carteira do operador", "transações de fora na carteira do operador"],
    href: viewHref({ view: "operations" }),
    isUrgent: true,
  },
  {
    count: attention.waiting_payments,
    words: ["pagamento esperando", "pagamentos esperando"],
    href: viewHref({ view: "payments" }, { state: "waiting" }),
  },
  {
    count: attention.unmatched_sales,
    words: ["venda sem comprador", "vendas sem comprador"],
    href: viewHref({ view: "sales" }, { state: "unmatched" }),
  },
  {
    count: attention.held_purchases,
    words: ["compra retida", "compras retidas"],
    href: viewHref({ view: "purchases" }, { state: "held" }),
  },
  {
    count: attention.undecided_purchases,
    words: ["compra parada por um erro", "compras paradas por um erro"],
    href: viewHref({ view: "operations" }),
    isUrgent: true,
  },
  {
    count: attention.draft_stores,
    words: ["loja em rascunho", "lojas em rascunho"],
    href: viewHref({ tab: "stores" }, { state: "draft" }),
  },
];

const WALLETS = {
  operator: "A carteira do operador tem pouco CHZ para taxas",
  minter: "A carteira que emite ingressos tem pouco CHZ para taxas",
  confirmer: "A carteira que confirma ingressos tem pouco CHZ para taxas",
  payer: "A carteira que paga tem pouco CHZ para taxas",
  distributor: "O distribuidor tem pouco CHZ",
};

/** `help`: what to do. `reason`: in the system's own English. */
type Alarm = { text: string; href: string; help?: string; reason?: string };

/** Links each difference to its purchase, or to the payouts. */
function differencesOf({ differences, difference_list }: Attention): Alarm[] {
  const payments = viewHref({ view: "payments" });
  const listed = difference_list.map(({ kind, purchase_id }) => {
    if (purchase_id !== null)
      return {
        text: `Compra nº ${purchase_id}: o banco de dados e a rede não dizem o mesmo`,
        href: viewHref({ view: "purchases" }, { row: String(purchase_id) }),
      };
    const text =
      kind === "shortfall"
        ? "O distribuidor tem menos CHZ do que as contas dizem"
        : "O banco de dados e a rede não dizem o mesmo sobre as transações de uma chave";
    return { text, href: payments };
  });
  const more = differences - listed.length;
  if (more <= 0) return listed;
  const text = `${listed.length > 0 ? "E mais " : ""}${more} ${more === 1 ? "diferença" : "diferenças"} entre o banco de dados e a rede: veja npm run reconcile`;
  return [...listed, { text, href: payments }];
}

/** Blocking problems come first. */
function alarmsOf(attention: Attention, chz: (amount: string) => string): Alarm[] {
  const texts = [
    ...(attention.payouts_paused === null
      ? []
      : [`Pagamentos pausados: ${pauseReason(attention.payouts_paused, attention.pause_cause)}`]),
    ...attention.low_balances.map(
      ({ wallet, balance }) => `${ownValue(WALLETS, wallet) ?? newWord(wallet)}: ${chz(balance)}`,
    ),
  ];
  return [
    ...attention.faults.map(({ name, text }) => {
      const [what, help] = faultWords(name);
      return { text: what, help, reason: text, href: faultHref(name) };
    }),
    ...texts.map((text) => ({ text, href: viewHref({ view: "payments" }) })),
    ...differencesOf(attention),
  ];
}

export function AttentionList({ attention }: { attention: Attention }) {
  const { chz, integer } = useFormat();
  const alarms = alarmsOf(attention, chz);
  const counted = countedOf(attention).filter(({ count }) => count > 0);
  return (
    <section aria-labelledby="attention">
      <h2 id="attention" className="section-title">
        Precisa de alguém
      </h2>
      {alarms.length + counted.length === 0 ? (
        <p className="all-clear">
          <Icon name="check" /> Tudo em dia: nada espera por você.
        </p>
      ) : (
        <div className="grid gap-2">
          {alarms.length > 0 && (
            <ul className="grid gap-2">
              {alarms.map((alarm, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two may read alike
                <AlarmRow key={`${index} ${alarm.text}`} {...alarm} />
              ))}
            </ul>
          )}
          {counted.length > 0 && (
            <ul className="matters">
              {counted.map(({ count, words, href, isUrgent }) => (
                <li key={words[1]}>
                  <Link to={href} className="matter" data-urgent={isUrgent || undefined}>
                    <strong className="figures">{count > 10_000 ? "10.000+" : integer(count)}</strong>{" "}
                    <span>{count === 1 ? words[0] : words[1]}</span>
                    <Arrow />
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}

/** What is broken, over the whole width: its words are long, and a task's figure is not. */
function AlarmRow({ text, href, help, reason }: Alarm) {
  return (
    <li>
      <Link to={href} className="matter" data-urgent="">
        <Icon name="alert" />
        <span>
          {text}
          {help && <span className="row-note">{help}</span>}
        </span>
        <Arrow />
      </Link>
      {reason && (
        <details className="technical">
          <summary>Detalhe técnico</summary>
          <p lang="en">{reason}</p>
        </details>
      )}
    </li>
  );
}

function Arrow() {
  return (
    <span aria-hidden="true" className="matter-arrow">
      ›
    </span>
  );
}
