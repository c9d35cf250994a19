import type { Hex, PublicClient } from "viem";

/** Code that runs one opcode and returns nothing; a chain without the opcode returns an error. docs/product.md#chain-facts. */
const OPCODES: Record<string, Hex> = { MCOPY: "0x5f5f5f5e00", TLOAD: "0x5f5c5000" };

/**
 * Refuses a chain with another id, or without Cancun: an older chain would accept our bytecode and fail later.
 * @throws Error with one sentence
 */
export async function probeChain(client: PublicClient, expectedChainId: number, rpcUrl: string): Promise<void> {
  // The path often contains a provider's key: only the host is printed.
  const { host } = new URL(rpcUrl);
  const chainId = await client.getChainId().catch((error: Error) => {
    throw new Error(`${host} does not answer: ${error.message.split("\n")[0]}`);
  });
  if (chainId !== expectedChainId) {
    throw new Error(`${host} is chain ${chainId}, not ${expectedChainId}; correct RPC_URLS or --network`);
  }
  for (const [opcode, code] of Object.entries(OPCODES)) {
    try {
      await client.call({ data: code });
    } catch (error) {
      if (!isInvalidOpcode(error)) throw error;
      throw new Error(`${host} does not know ${opcode}: the chain is older than Cancun, nothing was deployed`);
    }
  }
}

function isInvalidOpcode(error: unknown): boolean {
  return /opcode|not activated|EVM error/i.test(error instanceof Error ? error.message : String(error));
}
