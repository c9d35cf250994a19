import { ApiError } from "../api/http.ts";
import { toast } from "../ui/toast.ts";
import type { Outcome } from "./admin-calls.ts";
import { refusalOf } from "./refusals.ts";
import { t } from "./texts.ts";

/** The server's reason, or our own sentence with the known cause. docs/product.md#admin-texts. */
export function toastOutcome(outcome: Outcome, done: string, fallback: string): void {
  if (outcome.success) {
    const waits = outcome.waits === "proposal" ? t("toast.proposed") : t("toast.waits");
    toast.success(outcome.waits ? waits : done, { id: "admin" });
    return;
  }
  const reason = refusalOf(outcome.error);
  const isServersReason = outcome.error instanceof ApiError && outcome.error.isServersWord;
  const description =
    reason && isServersReason ? (
      reason
    ) : (
      <>
        <span className="block">{fallback}</span>
        {reason && <span className="block">{reason}</span>}
      </>
    );
  toast.error(t("error"), { id: "admin", description });
}

export function toastMissing(description: string): void {
  toast.error(t("required"), { id: "admin", description });
}
