import { toast } from "../ui/toast.ts";
import type { Outcome } from "./admin-calls.ts";

/** The server's sentence, or ours with what is known of the cause. docs/product.md#admin-texts. */
export function toastOutcome(outcome: Outcome, done: string, fallback: string): void {
  if (outcome.success) toast.success(done, { id: "admin" });
  else
    toast.error("Erro", {
      id: "admin",
      description: outcome.isServersWord ? outcome.message : `${fallback} (${outcome.message})`,
    });
}

export function toastMissing(description: string): void {
  toast.error("Campos obrigatórios", { id: "admin", description });
}
