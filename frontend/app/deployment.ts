import type { AppConfig } from "../../core/rules/api/config.ts";
import { CHAIN_IDS } from "../../core/rules/networks.ts";
import { DEFAULT_WEI_PER_CENT } from "../../core/rules/product.ts";
import { parseJson } from "../api/http.ts";

/** The element that `api/site/page.ts` writes into the page. */
const ELEMENT_ID = "deployment";

/** The default without a server: the Spicy test network. */
const DEFAULTS: AppConfig = {
  chain_id: CHAIN_IDS.spicy,
  network: "spicy",
  rpc_url: "",
  explorer_url: null,
  purchase_nft: "",
  cashback_distributor: "",
  former_distributors: [],
  start_block: 0,
  simulated: false,
  mail: false,
  auth_mode: "strict",
  bonus_program: "club",
  support_contact: null,
  is_rate_known: false,
  wei_per_cent: DEFAULT_WEI_PER_CENT.toString(),
};

/** `GET /api/config`; another server may leave fields out. */
export type ConfigAnswer = { data?: Partial<AppConfig> };

export const completeConfig = (given: Partial<AppConfig> | undefined): AppConfig => ({ ...DEFAULTS, ...given });

/** The deployment of this page, known before the first render: one build serves every network. */
export const deployment: AppConfig = completeConfig(readPage() ?? (await askServer()));

function readPage(): Partial<AppConfig> | undefined {
  const text = document.getElementById(ELEMENT_ID)?.textContent?.trim();
  return text ? parseJson(text) : undefined;
}

/** For a server that serves the page as a plain file. */
async function askServer(): Promise<Partial<AppConfig> | undefined> {
  try {
    const response = await fetch("/api/config");
    return parseJson<ConfigAnswer>(await response.text())?.data;
  } catch {
    return undefined;
  }
}
