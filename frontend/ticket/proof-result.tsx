import { useState } from "react";
import { formatDecimal, percentText, reaisText } from "../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../core/rules/product.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import { DifferenceClock } from "../chain/difference-clock.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import Difference from "../ui/payout-difference.tsx";
import { Verdict, type VerdictKind } from "../ui/verdict.tsx";
import style from "./proof-result.module.css";
import type { ChainTicket } from "./read-chain-ticket.ts";

type ResultProps = { chain: ChainTicket; isOver: boolean; readAt: number };

/** What the chain says of a ticket and its payout, and what of the page was compared with it. */
export default function ProofResult({ chain, isOver, readAt }: ResultProps) {
  return (
    <>
      <Sums chain={chain} isOver={isOver} />
      <Comparison chain={chain} readAt={readAt} />
    </>
  );
}

/** What of this page was compared with the chain, and what of it differs. */
function Comparison({ chain: { difference }, readAt }: { chain: ChainTicket; readAt: number }) {
  const t = useText();
  const [clock] = useState(() => new DifferenceClock());
  const { differs, passes } = clock.judge(difference ? [difference] : [], readAt);
  if (passes) return <p className="muted mt-3">{t("check.reading")}</p>;
  if (differs.length === 0) return <p className="mt-3 muted">{t("check.page.same")}</p>;
  const facts = differs.flatMap((one) => one.facts.map((fact) => t(`check.fact.${fact}`)));
  return (
    <p role="alert" className="problem mt-3">
      {t("check.page.differs", { facts: facts.join(", ") })}
    </p>
  );
}

const VERDICTS = {
  open: "open",
  over: "open",
  cancelled: "open",
  returned: "open",
  unexplained: "less",
  unread: "open",
  exact: "holds",
  kept: "holds",
  less: "less",
  wrong: "wrong",
} satisfies Record<string, VerdictKind>;

/** What the page says of a ticket. Its payout may be younger than what the server knows. */
function verdictOn({ isPaid, outcome, status, payouts }: ChainTicket, isOver: boolean): keyof typeof VERDICTS {
  if (outcome.kind === "less") return "less";
  if (outcome.kind === "kept") return payouts.length > 0 ? "kept" : "over";
  if (outcome.kind === "paid") return "exact";
  if (outcome.kind === "more") return "wrong";
  if (isPaid) return "unread";
  if (status === CHAIN_STATUS.cancelled) return "cancelled";
  if (status === CHAIN_STATUS.returned) return "returned";
  return isOver ? "unexplained" : "open";
}

function Sums({ chain, isOver }: { chain: ChainTicket; isOver: boolean }) {
  const t = useText();
  const { brl, percent, exactChz, rate } = useFormat();
  const [payout] = chain.payouts;
  const verdict = verdictOn(chain, isOver);
  return (
    <>
      <dl className={`facts ${style.sum}`}>
        <div>
          <dt>{t("ticket.value")}</dt>
          <dd className="figures">{brl(reaisText(chain.valueCents))}</dd>
        </div>
        <div>
          <dt>× {t("ticket.cashback")}</dt>
          <dd className="figures">{percent(percentText(chain.totalBps))}</dd>
        </div>
        {payout?.weiPerCent !== undefined && (
          <div>
            <dt>× {t("proof.rate")}</dt>
            <dd className="figures">{`${rate(formatDecimal(payout.weiPerCent * 100n, CHZ_DECIMALS))} / ${brl(1)}`}</dd>
          </div>
        )}
        {payout && (
          <div>
            <dt>= {t("proof.paid")}</dt>
            <dd className="figures">{exactChz(formatDecimal(payout.amountWei, CHZ_DECIMALS))}</dd>
          </div>
        )}
      </dl>
      <Verdict role="status" kind={VERDICTS[verdict]}>
        {t(`check.verdict.${verdict}`)}
        <Difference outcome={chain.outcome} />
      </Verdict>
    </>
  );
}
