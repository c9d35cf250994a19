import { type Address, formatEther, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { findDeployment } from "../../chain/deployment.ts";
import { ticketDescriptorBytecode } from "../../chain/generated/ticket-descriptor-bytecode.ts";
import { openCommandChain } from "../operator/open-chain.ts";
import type { DeployConfiguration } from "./configuration.ts";
import { distributorArguments, distributorCreation, purchaseNftCreation } from "./creations.ts";
import type { StoreName } from "./deploy-torcida.ts";
import { probeChain } from "./probe-chain.ts";

/** Rounded up from measurements; these calls cannot be estimated before the contracts exist. */
const GRANT_ROLE_GAS = 55_000n;
const REGISTER_STORE_GAS = 120_000n;
const OFFER_ADMIN_GAS = 55_000n;
const ROLE_COUNT = 7n;

export type CostLine = { what: string; gas: bigint };
export type Cost = {
  lines: CostLine[];
  totalGas: bigint;
  gasPriceWei: bigint;
  totalWei: bigint;
  balanceWei: bigint;
  deployer: Address;
};

/** The cost of a first deployment at the current gas price. Signs and sends nothing. */
export async function estimateCost(configuration: DeployConfiguration, stores: readonly StoreName[]): Promise<Cost> {
  const { network, adminDelaySeconds, siteUrl, deployerKey, admin } = configuration;
  const client = await openCommandChain(configuration);
  await probeChain(client, network);
  const deployer = privateKeyToAccount(deployerKey).address;
  const lines: CostLine[] = [];
  if (!findDeployment(network)) {
    const nft = purchaseNftCreation([deployer, adminDelaySeconds, siteUrl, zeroAddress]);
    const distributor = distributorCreation(distributorArguments(configuration, deployer, zeroAddress, zeroAddress));
    // From the zero address, so that a deployer without funds can get an estimate too.
    lines.push({ what: "TicketDescriptor", gas: await client.estimateGas({ data: ticketDescriptorBytecode }) });
    lines.push({ what: "PurchaseNFT", gas: await client.estimateGas({ data: nft }) });
    lines.push({ what: "CashbackDistributor", gas: await client.estimateGas({ data: distributor }) });
    lines.push({ what: `${ROLE_COUNT} roles`, gas: ROLE_COUNT * GRANT_ROLE_GAS });
    lines.push({ what: `${stores.length} stores`, gas: BigInt(stores.length) * REGISTER_STORE_GAS });
    if (admin) lines.push({ what: "administration offered", gas: 2n * OFFER_ADMIN_GAS });
  }
  const totalGas = lines.reduce((sum, { gas }) => sum + gas, 0n);
  const gasPriceWei = await client.getGasPrice();
  const balanceWei = await client.getBalance({ address: deployer });
  return { lines, totalGas, gasPriceWei, totalWei: totalGas * gasPriceWei, balanceWei, deployer };
}

/** The estimate as readable lines. */
export function costReport({ lines, totalGas, gasPriceWei, totalWei, balanceWei, deployer }: Cost): string[] {
  if (lines.length === 0) return ["There is already a record: a run would only add what is missing. Nothing was sent."];
  const chz = (wei: bigint) => Number(formatEther(wei)).toFixed(2);
  return [
    ...lines.map(
      ({ what, gas }) => `${what.padEnd(24)}${String(gas).padStart(12)} gas${chz(gas * gasPriceWei).padStart(10)} CHZ`,
    ),
    `${"in all".padEnd(24)}${String(totalGas).padStart(12)} gas${chz(totalWei).padStart(10)} CHZ at ${gasPriceWei / 10n ** 9n} gwei`,
    `The deployer ${deployer} has ${chz(balanceWei)} CHZ${balanceWei < totalWei ? ": too little" : ""}. Nothing was sent.`,
  ];
}
