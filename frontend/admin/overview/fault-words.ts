import type { FaultName } from "../../../core/rules/system-faults.ts";
import { viewHref } from "../list/list-address.ts";
import { type CodeOf, t, textOf } from "../texts.ts";

type EachHasText = FaultName extends CodeOf<"fault.what"> & CodeOf<"fault.help"> ? "fault" : never;
const FAULT: EachHasText = "fault";

/** What is wrong with the installation, and what to do about it. A page that is older than the server does not know every fault. */
export function faultWords(name: string): { what: string; help: string } {
  const what = textOf(`${FAULT}.what`, name);
  const help = textOf(`${FAULT}.help`, name);
  return { what: what ?? t("faultUnknown.what"), help: help ?? t("faultUnknown.help") };
}

/** Where the panel has more about it. */
export function faultHref(name: string): string {
  return viewHref({
    view:
      name === "account_credit"
        ? "accounts"
        : name.startsWith("network_")
          ? "sales"
          : name.startsWith("payouts_")
            ? "payments"
            : "operations",
  });
}
