import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getAddress, isAddress } from "viem";
import { z } from "zod";
import { NETWORKS, type Network } from "./chains.ts";

const addressSchema = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), "must be an address")
  .transform((text) => getAddress(text));

/** One file a network: what stands where, and all that is needed to build and compare the bytecode again. */
export const deploymentSchema = z.object({
  network: z.enum(NETWORKS),
  chainId: z.number().int(),
  /** The first block that can hold an event of ours. */
  block: z.number().int().nonnegative(),
  deployer: addressSchema,
  purchaseNft: z.object({
    address: addressSchema,
    transaction: z.string(),
    constructorArguments: z.tuple([addressSchema, z.number().int(), z.string()]),
  }),
  cashbackDistributor: z.object({
    address: addressSchema,
    transaction: z.string(),
    constructorArguments: z.tuple([
      addressSchema,
      z.number().int(),
      addressSchema,
      /** Wei, as decimal text: JSON numbers are too small. */
      z.object({ maxWeiPerCent: z.string(), maxPayout: z.string(), dailyCap: z.string() }),
    ]),
  }),
  build: z.object({
    compiler: z.string(),
    evmVersion: z.string(),
    viaIR: z.boolean(),
    optimizerRuns: z.object({ purchaseNft: z.number().int(), cashbackDistributor: z.number().int() }),
    libraries: z.array(z.string()),
    sourceHash: z.string(),
  }),
  /** ERC-20s that stand behind fan tokens; on the local chain, test tokens. */
  fanTokens: z.array(
    z.object({ slug: z.string(), symbol: z.string(), decimals: z.number().int(), address: addressSchema }),
  ),
});
export type Deployment = z.infer<typeof deploymentSchema>;

/** Where a network's record is; `DEPLOYMENTS_DIR` moves the folder, so that test systems run side by side. */
export function deploymentPath(network: Network): string {
  return join(process.env.DEPLOYMENTS_DIR ?? join(import.meta.dirname, "../deployments"), `${network}.json`);
}

/** A network's record. Throws a sentence that says what to do where there is none, or where it is damaged. */
export function readDeployment(network: Network): Deployment {
  const deployment = findDeployment(network);
  if (deployment) return deployment;
  throw new Error(
    `${deploymentPath(network)} is missing; run \`npm run deploy -- --network ${network}\`, or set PURCHASE_NFT_ADDRESS, CASHBACK_DISTRIBUTOR_ADDRESS and START_BLOCK`,
  );
}

/** A network's record, or undefined where there is none. Throws where it is damaged. */
export function findDeployment(network: Network): Deployment | undefined {
  const path = deploymentPath(network);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return deploymentSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`${path} is damaged; restore it from version control or deploy again.\n${reason}`);
  }
}
