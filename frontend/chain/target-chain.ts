import { chainOf } from "../../core/chain/chains.ts";
import { deployment } from "../app/deployment.ts";

/** The chain of the deployment that the page came from. Our own definition, with an https explorer. docs/product.md#wallet-network. */
export const targetChain = chainOf(deployment.network, deployment.rpc_url || undefined);
