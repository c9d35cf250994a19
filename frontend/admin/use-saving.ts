import { useMutation } from "@tanstack/react-query";
import { useIsShown } from "../ui/use-is-shown.ts";
import type { Outcome } from "./admin-calls.ts";
import { toastOutcome } from "./admin-toasts.tsx";

/** What a form or dialog does with the response to its request. */
export type Saving = {
  /** The toast when it is done. */
  done: string;
  /** The toast when it failed without a reason from the server. */
  failed: string;
  /** Reloads what was changed. */
  reload: () => Promise<unknown>;
  onClose: () => void;
};

/**
 * Shows a toast with the outcome and closes. After a cancel it only reloads, because another dialog may be open by
 * then.
 */
export function useSaving({ done, failed, reload, onClose }: Saving, onSaved: () => void) {
  const isShown = useIsShown();
  const { mutateAsync } = useMutation({
    mutationFn: (request: () => Promise<Outcome>) => request(),
    onSuccess: async (outcome) => {
      if (outcome.success && isShown()) onSaved();
      if (isShown()) toastOutcome(outcome, done, failed);
      if (outcome.success) await reload();
      if (outcome.success && isShown()) onClose();
    },
  });
  return mutateAsync;
}
