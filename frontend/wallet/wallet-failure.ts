import type { Translate } from "../i18n/language.tsx";
import { toast } from "../ui/toast.ts";
import { hasCode, REQUEST_PENDING } from "./errors.ts";

/** What a wallet said to a request, unless the user declined it. docs/product.md#error-toasts. */
export function toastWalletFailure(error: unknown, t: Translate): void {
  if (hasCode(error, REQUEST_PENDING)) toast.warning(t("wallet.requestPending"), { id: "wallet-pending" });
  else
    toast.error(t("wallet.connectionError"), {
      id: "wallet-connect",
      description: t("wallet.connectionError.detail"),
    });
}
