import type { AppConfig } from "../../core/rules/api/config.ts";
import { CHAIN_IDS, NETWORKS } from "../../core/rules/networks.ts";
import { DEFAULT_WEI_PER_CENT } from "../../core/rules/product.ts";
import { type Heard, knownOf } from "../api/heard.ts";
import { parseJson } from "../api/http.ts";

/** The element that `api/site/page.ts` fills. */
const ELEMENT_ID = "deployment";

const AUTH_MODES = ["compat", "strict"] as const;
const BONUS_PROGRAMS = ["club", "tiers"] as const;

/** The default without a server: the Spicy test network. */
const DEFAULTS: AppConfig = {
  chain_id: CHAIN_IDS.spicy,
  network: "spicy",
  rpc_url: "",
  explorer_url: null,
  purchase_nft: "",
  cashback_distributor: "",
  former_purchase_nfts: [],
  former_distributors: [],
  start_block: 0,
  simulated: false,
  mail: false,
  vapid_public_key: null,
  auth_mode: "strict",
  bonus_program: "club",
  support_contact: null,
  is_rate_known: false,
  wei_per_cent: DEFAULT_WEI_PER_CENT.toString(),
};

/** `GET /api/config`; another server may leave fields out, or answer words that this build does not know. */
export type ConfigAnswer = { data?: Partial<Heard<AppConfig>> };

export const completeConfig = (given: Partial<Heard<AppConfig>> = {}): AppConfig => ({
  ...DEFAULTS,
  ...given,
  network: knownOf(NETWORKS, given.network) ?? DEFAULTS.network,
  auth_mode: knownOf(AUTH_MODES, given.auth_mode) ?? DEFAULTS.auth_mode,
  bonus_program: knownOf(BONUS_PROGRAMS, given.bonus_program) ?? DEFAULTS.bonus_program,
});

/** The deployment of this page, known before the first render: one build serves every network. */
export const deployment: AppConfig = completeConfig(import.meta.env.SSR ? {} : (readPage() ?? (await askServer())));

function readPage(): Partial<Heard<AppConfig>> | undefined {
  const text = document.getElementById(ELEMENT_ID)?.textContent?.trim();
  return text ? parseJson(text) : undefined;
}

/** For a server that serves the page as a plain file. */
async function askServer(): Promise<Partial<Heard<AppConfig>> | undefined> {
  try {
    const response = await fetch("/api/config");
    return parseJson<ConfigAnswer>(await response.text())?.data;
  } catch {
    return undefined;
  }
}
