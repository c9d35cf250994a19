import { chzTextFromWei } from "../../../core/rules/money.ts";
import { shortenAddress } from "../../../core/rules/wallet-address.ts";
import { decimalText, t, textOf } from "../texts.ts";

type Detail = Readonly<Record<string, unknown>>;

const SAID = ["newDelay", "siteUrl", "tokenId", "contract", "block"] as const;
const WALLETS = ["account", "sender", "newAdmin", "token", "to", "predecessor", "descriptor", "distributor"] as const;
const AMOUNTS = ["maxPayout", "dailyCap", "amount"] as const;

const saidOf = (detail: Detail, name: string): string => String(detail[name] ?? "?");
const chzOf = (wei: string): string => (/^\d+$/.test(wei) ? decimalText(chzTextFromWei(BigInt(wei))) : "?");

/** What a cold key did on a contract, as the watchman wrote it; undefined for an act that this build does not know. */
export function chainSentence(event: string, detail: Detail): string | undefined {
  if (event === "Deployed") return t("chainAct.deployed", { acts: saidOf(detail, "acts") });
  const role = saidOf(detail, "role");
  const values = {
    role: textOf("chainRole", role) ?? role,
    ...Object.fromEntries(SAID.map((name) => [name, saidOf(detail, name)])),
    ...Object.fromEntries(WALLETS.map((name) => [name, shortenAddress(saidOf(detail, name))])),
    ...Object.fromEntries(AMOUNTS.map((name) => [name, chzOf(saidOf(detail, name))])),
  };
  const act = textOf("chain", event, values);
  const place = { contract: saidOf(detail, "contract"), block: saidOf(detail, "block") };
  return act && t(detail.rang === false ? "chainAct.placeEarly" : "chainAct.place", { act, ...place });
}
