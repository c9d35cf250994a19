import { Link } from "react-router";
import { useFormat } from "../../i18n/use-format.ts";
import { Icon } from "../../ui/icon.tsx";
import adminListStyle from "../list/admin-list.module.css";
import { viewHref } from "../list/list-address.ts";
import panelStyle from "../panel.module.css";
import type { Attention } from "../shapes.ts";
import { type CodeOf, t, textOf } from "../texts.ts";
import { newWord, pauseReason } from "../words.ts";
import style from "./attention-list.module.css";
import { faultHref, faultWords } from "./fault-words.ts";

type Counted = { what: CodeOf<"attention.count">; href: string; isUrgent?: boolean };

/** Open tasks, each with its place, the urgent ones first. */
const COUNTED: readonly Counted[] = [
  { what: "failed_payments", href: viewHref({ view: "payments" }, { state: "failed" }), isUrgent: true },
  { what: "open_approvals", href: viewHref({ view: "approvals" }, { state: "open" }), isUrgent: true },
  { what: "refused_payouts", href: viewHref({ view: "approvals" }, { state: "refused" }), isUrgent: true },
  { what: "open_percents", href: viewHref({ view: "approvals" }, { state: "open" }), isUrgent: true },
  { what: "open_proposals", href: viewHref({ view: "approvals" }, { state: "open" }), isUrgent: true },
  { what: "held_sales", href: viewHref({ view: "sales" }, { state: "held" }), isUrgent: true },
  { what: "overdue_sales", href: viewHref({ view: "sales" }, { state: "open" }) },
  { what: "waiting_accounts", href: viewHref({ view: "accounts" }), isUrgent: true },
  { what: "unset_credits", href: viewHref({ view: "accounts" }) },
  { what: "open_claims", href: viewHref({ view: "claims" }, { state: "open" }), isUrgent: true },
  { what: "doubtful_rates", href: viewHref({ view: "sales" }), isUrgent: true },
  { what: "large_lists", href: viewHref({ tab: "stores", view: "suggested" }, { state: "open" }), isUrgent: true },
  { what: "withheld_rounds", href: viewHref({ tab: "stores", view: "suggested" }, { state: "open" }), isUrgent: true },
  { what: "uncovered_percents", href: viewHref({ tab: "stores" }, { state: "uncovered" }), isUrgent: true },
  { what: "unread_rows", href: viewHref({ view: "sales" }) },
  { what: "failed_operations", href: viewHref({ view: "operations" }), isUrgent: true },
  { what: "foreign_transactions", href: viewHref({ view: "operations" }), isUrgent: true },
  { what: "waiting_payments", href: viewHref({ view: "payments" }, { state: "waiting" }) },
  { what: "unmatched_sales", href: viewHref({ view: "sales" }, { state: "unmatched" }) },
  { what: "held_purchases", href: viewHref({ view: "purchases" }, { state: "held" }) },
  { what: "undecided_purchases", href: viewHref({ view: "operations" }), isUrgent: true },
  { what: "draft_stores", href: viewHref({ tab: "stores" }, { state: "draft" }) },
];

/** The counts go up to this; the last means "or more". */
const MOST_COUNTED = 10_000;

/** `help`: what to do. `reason`: in the system's own English. */
type Alarm = { text: string; href: string; help?: string; reason?: string };

/** Links each difference to its purchase, or to the payouts. */
function differencesOf({ differences, difference_list }: Attention): Alarm[] {
  const payments = viewHref({ view: "payments" });
  const listed = difference_list.map(({ kind, purchase_id: id }) =>
    id === null
      ? {
          text: t(kind === "shortfall" ? "attention.difference.shortfall" : "attention.difference.key"),
          href: payments,
        }
      : {
          text: t("attention.difference.purchase", { id }),
          href: viewHref({ view: "purchases" }, { row: String(id) }),
        },
  );
  const count = differences - listed.length;
  if (count <= 0) return listed;
  const text = t(listed.length > 0 ? "attention.difference.more" : "attention.difference.all", { count });
  return [...listed, { text, href: payments }];
}

/** Blocking problems come first. */
function alarmsOf(attention: Attention, chz: (amount: string) => string): Alarm[] {
  const { payouts_paused: paused, pause_cause: cause, low_balances } = attention;
  const texts = [
    ...(paused === null ? [] : [t("attention.paused", { reason: pauseReason(paused, cause) })]),
    ...low_balances.map(
      ({ wallet, balance }) =>
        textOf("attention.wallet", wallet, { balance: chz(balance) }) ??
        t("attention.walletUnknown", { wallet: newWord(wallet), balance: chz(balance) }),
    ),
  ];
  return [
    ...attention.faults.map(({ name, text }) => {
      const { what, help } = faultWords(name);
      return { text: what, help, reason: text, href: faultHref(name) };
    }),
    ...texts.map((text) => ({ text, href: viewHref({ view: "payments" }) })),
    ...differencesOf(attention),
  ];
}

export function AttentionList({ attention }: { attention: Attention }) {
  const { chz, integer } = useFormat();
  const alarms = alarmsOf(attention, chz);
  const counted = COUNTED.flatMap((one) => {
    const count = attention[one.what] ?? 0;
    return count > 0 ? [{ ...one, count }] : [];
  });
  return (
    <section aria-labelledby="attention">
      <h2 id="attention" className="section-title">
        {t("attention.title")}
      </h2>
      {alarms.length + counted.length === 0 ? (
        <p className={style.allClear}>
          <Icon name="check" /> {t("attention.clear")}
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
            <ul className={style.matters}>
              {counted.map(({ count, what, href, isUrgent }) => (
                <li key={what}>
                  <Link to={href} className={style.matter} data-urgent={isUrgent || undefined}>
                    <strong className="figures">{count > MOST_COUNTED ? t("attention.many") : integer(count)}</strong>{" "}
                    <span>{t(`attention.count.${what}`, { count })}</span>
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
      <Link to={href} className={style.matter} data-urgent="">
        <Icon name="alert" />
        <span>
          {text}
          {help && <span className={adminListStyle.note}>{help}</span>}
        </span>
        <Arrow />
      </Link>
      {reason && (
        <details className={panelStyle.technical}>
          <summary>{t("technical")}</summary>
          <p lang="en">{reason}</p>
        </details>
      )}
    </li>
  );
}

function Arrow() {
  return (
    <span aria-hidden="true" className={style.arrow}>
      ›
    </span>
  );
}
