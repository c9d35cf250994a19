import type { Translate } from "../i18n/language.tsx";
import { toast } from "../ui/toast.ts";
import { AbandonedError, hasCode, REJECTED, REQUEST_PENDING } from "./errors.ts";
import { AddNetworkError } from "./network.ts";

/** Why no wallet was connected; nothing if the user gave up without a reason. docs/product.md#error-toasts. */
export function toastConnectFailure(error: unknown, t: Translate): void {
  if (error instanceof AbandonedError) {
    if (error.reason) toast.error(t("wallet.connectionError"), { id: "wallet-connect", description: error.reason });
  } else if (hasCode(error, REJECTED)) {
    toast(t("wallet.connectionError"), { id: "wallet-connect", description: t("wallet.declined") });
  } else toastWalletFailure(error, t);
}

/** Why the wallet is still on another network; nothing if the user declined the switch. */
export function toastSwitchFailure(error: unknown, t: Translate): void {
  if (error instanceof AddNetworkError) {
    toast.error(t("wallet.addNetworkError"), {
      id: "network-add",
      description: t(hasCode(error, REJECTED) ? "wallet.declined" : "wallet.addNetworkError.detail"),
    });
  } else if (!hasCode(error, REJECTED)) toastWalletFailure(error, t);
}

function toastWalletFailure(error: unknown, t: Translate): void {
  if (hasCode(error, REQUEST_PENDING)) toast.warning(t("wallet.requestPending"), { id: "wallet-pending" });
  else
    toast.error(t("wallet.connectionError"), {
      id: "wallet-connect",
      description: t("wallet.connectionError.detail"),
    });
}
