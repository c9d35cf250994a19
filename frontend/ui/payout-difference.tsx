import { formatDecimal } from "../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../core/rules/product.ts";
import type { Outcome } from "../../core/rules/proof.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import style from "./payout-difference.module.css";

/** Why less was paid by the published books, or that nothing published says why. */
export default function Difference({ outcome }: { outcome: Outcome }) {
  const t = useText();
  const { exactChz } = useFormat();
  const amount = (wei: bigint) => exactChz(formatDecimal(wei, CHZ_DECIMALS));
  if (outcome.kind === "less") {
    const { differenceWei } = outcome;
    return <span className={style.missing}>{t("proofPage.missing", { amount: amount(differenceWei) })}</span>;
  }
  if (outcome.kind !== "kept") return null;
  const { keptWei, lowerWei, debtOf } = outcome;
  return (
    <>
      {keptWei > 0n && (
        <span className={style.missing}>
          {t("proofPage.kept", { amount: amount(keptWei), purchases: debtOf.join(", ") })}
        </span>
      )}
      {lowerWei > 0n && <span className={style.missing}>{t("proofPage.lower", { amount: amount(lowerWei) })}</span>}
      {keptWei + lowerWei === 0n && <span className={style.missing}>{t("proofPage.declined")}</span>}
    </>
  );
}
