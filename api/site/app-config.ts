import { chainOf } from "../../core/chain/chains.ts";
import { shownRate } from "../../core/rates/rate-source.ts";
import type { AppConfig } from "../../core/rules/api/config.ts";
import type { Services } from "../services.ts";

/** The web app's configuration: `GET /api/config`, and part of every page that the api serves. */
export function appConfig(services: Services): AppConfig {
  const { environment, contracts, network } = services;
  const chain = chainOf(network, environment.RPC_URLS[0]);
  return {
    ...(services.build === undefined ? {} : { build: services.build }),
    chain_id: environment.CHAIN_ID,
    network,
    // The public URL of the chain, because the operator's may contain a key. On the local chain the two are the same.
    rpc_url: chain.rpcUrls.default.http[0] ?? "",
    explorer_url: network === "localhost" ? null : (chain.blockExplorers?.default.url ?? null),
    purchase_nft: contracts.purchaseNft,
    former_purchase_nfts: [...(contracts.formerPurchaseNfts ?? [])],
    cashback_distributor: contracts.cashbackDistributor,
    former_distributors: [...(contracts.formerDistributors ?? [])],
    start_block: Number(services.startBlock),
    simulated: environment.SIMULATED_PURCHASES,
    auth_mode: environment.AUTH_MODE,
    bonus_program: environment.BONUS_PROGRAM,
    support_contact: environment.SUPPORT_CONTACT ?? null,
    mail: services.post !== undefined,
    ...(environment.INVITE_BONUS_PERCENT > 0 && { invite_bonus_percent: String(environment.INVITE_BONUS_PERCENT) }),
    vapid_public_key: environment.VAPID_KEY_FILE?.publicKey ?? null,
    is_rate_known: services.rates.current().kind === "rate",
    wei_per_cent: shownRate(services.rates, environment.WEI_PER_CENT).toString(),
  };
}
