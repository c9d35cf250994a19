import type { Hex, PublicClient } from "viem";
import type { Network } from "../../core/rules/networks.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import { DeployError } from "./deploy-error.ts";

/** Code that runs one opcode and returns nothing; a chain without the opcode returns an error. docs/product.md#chain-facts. */
const OPCODES: Record<string, Hex> = { MCOPY: "0x5f5f5f5e00", TLOAD: "0x5f5c5000" };

/**
 * Rejects a chain without Cancun: an older one would accept our bytecode and fail later.
 * @throws Error with one sentence
 */
export async function probeChain(client: PublicClient, network: Network): Promise<void> {
  for (const [opcode, code] of Object.entries(OPCODES)) {
    try {
      await client.call({ data: code });
    } catch (error) {
      if (!/opcode|not activated|EVM error/i.test(messageOf(error))) throw error;
      throw new DeployError(
        `${network} does not support ${opcode}: the chain is older than Cancun, nothing was deployed`,
      );
    }
  }
}
