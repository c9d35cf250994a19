import { admitad } from "./admitad/admitad.ts";
import { awin } from "./awin/awin.ts";
import { impact } from "./impact/impact.ts";
import type { AffiliateNetwork, PolledAccount } from "./network.ts";

/** An adapter for accounts of whichever network: each is only ever given accounts that its own schema has read. */
export type AnyNetwork = AffiliateNetwork<PolledAccount>;

/** Every network that is polled. A further one is a folder and a line here. */
export const NETWORKS: readonly AnyNetwork[] = [awin, admitad, impact];

export function findNetwork(name: string): AnyNetwork | undefined {
  return NETWORKS.find((network) => network.name === name);
}
