import { CHILIZ_CHAIN_ID, SPICY_CHAIN_ID } from "./product.ts";

/** `localhost` is a chain on this machine with Spicy's id, so every rule about the network applies to it. */
export const NETWORKS = ["localhost", "spicy", "chiliz"] as const;
export type Network = (typeof NETWORKS)[number];

export const CHAIN_IDS: Record<Network, number> = {
  localhost: SPICY_CHAIN_ID,
  spicy: SPICY_CHAIN_ID,
  chiliz: CHILIZ_CHAIN_ID,
};
