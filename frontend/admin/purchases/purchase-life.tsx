import { Link } from "react-router";
import type { STEP_KINDS } from "../../../core/rules/purchase/states.ts";
import { paths } from "../../app/paths.ts";
import { useFormat } from "../../i18n/use-format.ts";
import type { PurchaseDetails } from "../shapes.ts";
import { type CodeOf, t, textOf } from "../texts.ts";
import { newWord } from "../words.ts";
import style from "./purchase-life.module.css";

type Step = PurchaseDetails["steps"][number];
type StepKind = (typeof STEP_KINDS)[number];

type EachHasText = StepKind extends CodeOf<"life.step"> ? "life.step" : never;
const STEP: EachHasText = "life.step";

function sentenceOf({ kind, subject: code, invited_as }: Step, { situation, sale_id }: PurchaseDetails): string {
  if (invited_as !== undefined) {
    return t("life.step.invited", { subject: textOf("life.subject", invited_as) ?? invited_as });
  }
  if (kind === "approved" && sale_id === null) return t("life.simulated");
  if (kind === "reversed" && situation === "withdrawn") return t("life.withdrawn");
  const subject = textOf(kind === "chain_event" ? "life.event" : "life.subject", code) ?? code ?? "";
  return textOf(STEP, kind, { subject }) ?? newWord(kind);
}

/** The history of a purchase, oldest first, from database and chain. */
export function PurchaseLife({ purchase }: { purchase: PurchaseDetails }) {
  const { dateTime, chz } = useFormat();
  return (
    <section aria-labelledby="life">
      <h3 id="life" className="card-title">
        {t("life.title")}
      </h3>
      <ol className={style.life}>
        {purchase.steps.map((step) => (
          <li
            key={`${step.at} ${step.kind} ${step.invited_as ?? step.subject} ${step.tx_hash}`}
            data-source={step.source}
            data-bad={step.kind === "reverted" || step.kind === "lost_nonce" || undefined}
          >
            <span>
              {sentenceOf(step, purchase)}
              {step.amount !== null && <strong className="figures"> · {chz(step.amount)}</strong>}
            </span>
            <time dateTime={step.at}>{dateTime(step.at)}</time>
            {step.tx_hash && (
              <Link to={paths.transaction(step.tx_hash)} className="link figures" title={step.tx_hash}>
                {step.tx_hash.slice(0, 10)}…{step.tx_hash.slice(-6)}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
