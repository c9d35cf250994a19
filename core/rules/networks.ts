/** `localhost` is a chain on this machine with Spicy's id, so every rule about the network applies to it. */
export const NETWORKS = ["localhost", "spicy", "chiliz"] as const;
export type Network = (typeof NETWORKS)[number];

/** Spicy is the public test network, `chiliz` is mainnet. docs/product.md#chain-networks. */
export const CHAIN_IDS: Record<Network, number> = { localhost: 0x15b32, spicy: 0x15b32, chiliz: 88_888 };
