import { chainOf } from "../../chain/chains.ts";
import type { AppConfig } from "../../domain/api/config.ts";
import { currentRate } from "../people/profile.ts";
import type { Services } from "../services.ts";

/** What the web app must know of this deployment: `GET /api/config`, and in every page that the api serves. */
export function appConfig(services: Services): AppConfig {
  const { environment, contracts, network } = services;
  const chain = chainOf(network, environment.RPC_URLS[0]);
  return {
    chain_id: environment.CHAIN_ID,
    network,
    // The definition's own address: the operator's may carry a key. On this machine the two are the same.
    rpc_url: chain.rpcUrls.default.http[0] ?? "",
    explorer_url: network === "localhost" ? null : (chain.blockExplorers?.default.url ?? null),
    purchase_nft: contracts.purchaseNft,
    cashback_distributor: contracts.cashbackDistributor,
    simulated: environment.SIMULATED_PURCHASES,
    auth_mode: environment.AUTH_MODE,
    bonus_program: environment.BONUS_PROGRAM,
    wei_per_cent: currentRate(services).toString(),
  };
}
