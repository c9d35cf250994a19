import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { NETWORKS, type Network } from "../rules/networks.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { codeOf } from "../rules/unknown-error.ts";
import { isAddressShaped, type WalletAddress } from "../rules/wallet-address.ts";

const addressSchema = z.string().refine(isAddressShaped, "must be an address");

/** Empty for the descriptor of a record from before there was one. */
const hashSchema = z.string().transform((text): `0x${string}` => `0x${text.slice(2)}`);

const distributorSchema = z.object({
  address: addressSchema,
  transaction: hashSchema,
  /** The block at which it was deployed; omitted if that is the record's first block. */
  block: z.number().int().nonnegative().optional(),
  constructorArguments: z.tuple([
    addressSchema,
    z.number().int(),
    addressSchema,
    /** Wei, as decimal text: a JSON number cannot hold it. */
    z.object({ maxWeiPerCent: z.string(), maxPayout: z.string(), dailyCap: z.string() }),
    /** Its predecessor; the zero address if there is none. */
    addressSchema,
  ]),
});

const buildSchema = z.object({
  compiler: z.string(),
  evmVersion: z.string(),
  viaIR: z.boolean(),
  optimizerRuns: z.object({
    purchaseNft: z.number().int(),
    cashbackDistributor: z.number().int(),
    ticketDescriptor: z.number().int(),
  }),
  libraries: z.array(z.string()),
  sourceHash: z.string(),
});

const drawingSchema = z.object({ address: addressSchema, transaction: hashSchema });

const ticketsSchema = z.object({
  address: addressSchema,
  transaction: hashSchema,
  /** The block at which they were deployed; omitted if that is the record's first block. */
  block: z.number().int().nonnegative().optional(),
  /** The tickets that they continue; omitted if there are none. */
  predecessor: addressSchema.optional(),
  constructorArguments: z.tuple([addressSchema, z.number().int(), z.string(), addressSchema]),
});

/** The record of one network: contract addresses, and what is needed to rebuild and compare the bytecode. */
export const deploymentSchema = z.object({
  network: z.enum(NETWORKS),
  chainId: z.number().int(),
  /** The first block that can contain one of our events. */
  block: z.number().int().nonnegative(),
  deployer: addressSchema,
  /** The initial descriptor, which draws the tickets; an admin may have replaced it since. */
  ticketDescriptor: drawingSchema,
  purchaseNft: ticketsSchema,
  /** The tickets that they continue, the latest first, each with its drawing and the build that it was compiled by. */
  formerPurchaseNfts: z
    .array(ticketsSchema.extend({ ticketDescriptor: drawingSchema, build: buildSchema }))
    .default([]),
  cashbackDistributor: distributorSchema,
  /** Its retired predecessors, the latest first, each with the build that it was compiled by. */
  formerDistributors: z.array(distributorSchema.extend({ build: buildSchema })).default([]),
  build: buildSchema,
  /** What the deployments called after they created, such as the grants of roles. */
  calls: z.array(hashSchema).default([]),
  /** ERC-20 contracts of the fan tokens; on the local chain, test tokens. */
  fanTokens: z.array(
    z.object({ slug: z.string(), symbol: z.string(), decimals: z.number().int(), address: addressSchema }),
  ),
});
export type Deployment = z.infer<typeof deploymentSchema>;

export type Contracts = {
  /** The current tickets, the only ones in which purchases are minted. */
  purchaseNft: WalletAddress;
  /** Those that they continue, if any, the latest first. Their tickets stay theirs. */
  formerPurchaseNfts?: readonly WalletAddress[];
  /** The current distributor, the only one that pays. */
  cashbackDistributor: WalletAddress;
  /** Its predecessors, if any. They still hold credits, and their payouts count. */
  formerDistributors?: readonly WalletAddress[];
};

export function distributorsOf<Address extends string>({
  cashbackDistributor,
  formerDistributors = [],
}: {
  cashbackDistributor: Address;
  formerDistributors?: readonly Address[];
}): Address[] {
  return [cashbackDistributor, ...formerDistributors];
}

/** The current tickets and all that they continue, the latest first. */
export function ticketContractsOf({ purchaseNft, formerPurchaseNfts = [] }: Contracts): WalletAddress[] {
  return [purchaseNft, ...formerPurchaseNfts];
}

/** A network's deployment record is missing or damaged; the message says how to get one. */
export class DeploymentRecordError extends TorcidaError {
  override readonly docs = "docs/admin.md#deploying";
}

/** The path of a network's record. `DEPLOYMENTS_DIR` moves the folder, so that test systems can run in parallel. */
export function deploymentPath(network: Network): string {
  return join(process.env.DEPLOYMENTS_DIR || join(import.meta.dirname, "../../deployments"), `${network}.json`);
}

/** A network's record. @throws DeploymentRecordError */
export function readDeployment(network: Network): Deployment {
  const deployment = findDeployment(network);
  if (deployment) return deployment;
  throw new DeploymentRecordError(
    `${deploymentPath(network)} is missing; run \`npm run deploy -- --network ${network}\`, or set PURCHASE_NFT_ADDRESS, CASHBACK_DISTRIBUTOR_ADDRESS and START_BLOCK`,
  );
}

/** A network's record, or undefined if there is none. @throws DeploymentRecordError if it is damaged or unreadable */
export function findDeployment(network: Network): Deployment | undefined {
  const path = deploymentPath(network);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new DeploymentRecordError(`${path} cannot be read (${codeOf(error)}); correct DEPLOYMENTS_DIR`);
  }
  try {
    return deploymentSchema.parse(withDescriptor(JSON.parse(text)));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new DeploymentRecordError(`${path} is damaged; restore it from version control or deploy again.\n${reason}`);
  }
}

const NOBODY = `0x${"0".repeat(40)}`;

type EarlyRecord = {
  ticketDescriptor?: unknown;
  purchaseNft?: { constructorArguments?: unknown[] };
  cashbackDistributor?: { constructorArguments?: unknown[] };
  build?: { optimizerRuns?: Record<string, number> };
};

/** A record of the first version, in which PurchaseNFT drew the tickets and the distributor had no predecessor. */
function withDescriptor(record: EarlyRecord): unknown {
  if (record.ticketDescriptor !== undefined) return record;
  const { purchaseNft, cashbackDistributor, build } = record;
  return {
    ...record,
    ticketDescriptor: { address: NOBODY, transaction: "" },
    purchaseNft: { ...purchaseNft, constructorArguments: [...(purchaseNft?.constructorArguments ?? []), NOBODY] },
    cashbackDistributor: {
      ...cashbackDistributor,
      constructorArguments: [...(cashbackDistributor?.constructorArguments ?? []), NOBODY],
    },
    build: { ...build, optimizerRuns: { ...build?.optimizerRuns, ticketDescriptor: 0 } },
  };
}
