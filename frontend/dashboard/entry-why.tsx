import { startTransition, useState } from "react";
import { FormattedMessage } from "react-intl";
import type { PurchaseRecord } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { situationWord } from "../i18n/situation-word.ts";
import { useFormat } from "../i18n/use-format.ts";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { Worth } from "../ui/worth.tsx";
import { type Entry, situationIn } from "./statement.ts";

const WithdrawCredit = fetchedDialog(() => import("./withdraw-credit.tsx"));

/** Where the purchase is, what comes next, and what was kept of it. */
export function Why({ entry }: { entry: Entry }) {
  const t = useText();
  const { date, chz } = useFormat();
  const { expected_at = null, usual_at = null, kept_amount = "0", corrected_from = null } = entry.purchase ?? {};
  const situation = situationIn(entry);
  const word = situation ? situationWord({ ...entry.purchase, situation }) : "unknown";
  const isLate = usual_at !== null && Date.parse(usual_at) < Date.now();
  return (
    <>
      {t(`situation.${word}`, {
        date: expected_at ? date(expected_at) : "",
      })}
      {usual_at !== null &&
        ` ${isLate ? t("usual.late") : t(situation === "awaiting_network" ? "usual.pay" : "usual.confirm", { date: date(usual_at) })}`}
      {corrected_from !== null && ` ${t("situation.corrected", { amount: chz(corrected_from) })}`}
      {kept_amount !== "0" && situation !== "netted" && ` ${t("situation.kept", { amount: chz(kept_amount) })}`}
      {entry.nft?.burnt_at && <span> {t("nft.burnt", { date: date(entry.nft.burnt_at) })}</span>}
      {situation === "credit" && <CreditButton />}
    </>
  );
}

export function PaidWorth({ purchase, isInline }: { purchase: PurchaseRecord | undefined; isInline?: boolean }) {
  if (purchase?.cashback_state !== "paid") return null;
  const { paid_amount, paid_value = null, paid_rate_day = null } = purchase;
  return <Worth amount={paid_amount ?? "0"} value={paid_value} rateDay={paid_rate_day} isInline={isInline === true} />;
}

/** The way to what the wallet refused. */
function CreditButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {" "}
      <button type="button" className="link" onClick={() => startTransition(() => setOpen(true))}>
        <FormattedMessage id="credit.withdraw" />
      </button>
      {isOpen && <WithdrawCredit onClose={() => setOpen(false)} />}
    </>
  );
}

/** The server's figures, because the chain does not answer. */
export function Unchecked() {
  return (
    <p className="muted text-sm">
      <FormattedMessage id="ticket.unchecked" />
    </p>
  );
}
