import { ApiError } from "../api/http.ts";
import { toast } from "../ui/toast.ts";
import type { Outcome } from "./admin-calls.ts";
import { refusalOf } from "./refusals.ts";

/** The server's reason, or our own sentence with the known cause. docs/product.md#admin-texts. */
export function toastOutcome(outcome: Outcome, done: string, fallback: string): void {
  if (outcome.success) {
    const waits = outcome.waits === "proposal" ? PROPOSED : WAITS;
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
  toast.error("Erro", { id: "admin", description });
}

const WAITS = "Pedido feito: o percentual passa do que uma pessoa define sozinha, e está em Aprovações.";

const PROPOSED =
  "Salvo. O que muda para onde vão os compradores ou o dinheiro espera uma segunda pessoa, e está em Aprovações.";

export function toastMissing(description: string): void {
  toast.error("Campos obrigatórios", { id: "admin", description });
}
