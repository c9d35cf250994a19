import { admitad } from "./admitad/admitad.ts";
import { awin } from "./awin/awin.ts";
import { impact } from "./impact/impact.ts";
import type { AffiliateNetwork, PolledAccount } from "./network.ts";

/** An adapter of any network; each only receives accounts that its own schema parsed. */
export type AnyNetwork = AffiliateNetwork<PolledAccount>;

/** Every polled network. To add one, add a folder and a line here. */
export const NETWORKS: readonly AnyNetwork[] = [awin, admitad, impact];

export function findNetwork(name: string): AnyNetwork | undefined {
  return NETWORKS.find((network) => network.name === name);
}
