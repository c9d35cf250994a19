import { type Address, formatEther, getAddress, type PublicClient, zeroAddress } from "viem";
import type { ApiEnvironment } from "../../api/environment.ts";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import { readContracts } from "../../platform/contracts.ts";
import { openLog } from "../../platform/log.ts";
import { type OpenChain, openChain } from "../../platform/rpc/chain-client.ts";
import type { ChainMemory } from "../../platform/rpc/chain-memory.ts";
import { WrongChainError } from "../../platform/rpc/node-pool.ts";
import type { OperatorEnvironment } from "../operator/environment.ts";
import { examineNames } from "./examine-names.ts";
import { type Finding, failure, healthy, messageOf, warning } from "./finding.ts";

const GREATEST_HEAD_AGE_S = 60;
const GREATEST_LAG_BLOCKS = 10n;
/** A million gas costs about 2.5 CHZ at the lowest base fee; this is enough for dozens of batches. */
const LEAST_GAS_WEI = 50n * 10n ** 18n;
const TEN_PERCENT = 10n;

/** Checks every RPC, as the system itself does before it believes one, and both contracts. */
export async function examineChain(
  environment: ApiEnvironment,
  operator: OperatorEnvironment,
  memory: ChainMemory,
): Promise<Finding[]> {
  const { network, CHAIN_ID: chainId, RPC_URLS } = environment;
  const known = { network, chainId, contract: purchaseNftOf(environment), memory, log: openLog("silent") };
  const chains = await Promise.all(RPC_URLS.map((url) => openChain({ ...known, urls: [url] })));
  const clients = chains.map(({ client }) => client);
  const heads = await Promise.all(chains.map((chain, index) => examineRpc(chain, environment, index)));
  const findings = heads.flatMap((head) => head.findings);
  const highest = heads.reduce((top, head) => (head.number > top ? head.number : top), 0n);
  for (const { name, number } of heads) {
    if (number > 0n && highest - number > GREATEST_LAG_BLOCKS) {
      findings.push(
        warning(name, `is ${highest - number} blocks behind another`, "Take it out of RPC_URLS until it has caught up"),
      );
    }
  }
  const best = heads.findIndex((head) => head.number === highest && highest > 0n);
  const client = clients[best];
  if (client)
    findings.push(...(await examineContracts(client, environment)), ...(await examineNames(client, operator)));
  return findings;
}

/** A missing deployment record is reported in addition to the nodes. */
function purchaseNftOf(environment: ApiEnvironment): string {
  try {
    return readContracts(environment).purchaseNft;
  } catch {
    return zeroAddress;
  }
}

async function examineRpc({ client, nodes }: OpenChain, { RPC_URLS, CHAIN_ID }: ApiEnvironment, index: number) {
  // Providers put keys into the path, so only the host is shown.
  const name = `rpc ${new URL(RPC_URLS[index] ?? "").host}`;
  try {
    await nodes.refuseWrongChain();
    if (nodes.head === undefined) {
      return { name, number: 0n, findings: [failure(name, nodes.problem, "docs/runbook/rpc-away.md")] };
    }
    const block = await client.getBlock();
    const ageS = Math.round(Date.now() / 1000 - Number(block.timestamp));
    const detail = `chain ${CHAIN_ID}, block ${block.number}, made ${ageS} s ago`;
    const finding =
      Math.abs(ageS) <= GREATEST_HEAD_AGE_S
        ? healthy(name, detail)
        : warning(
            name,
            detail,
            ageS < 0
              ? "This host's clock is slow: set it by NTP"
              : "The node is behind, or this host's clock is fast (docs/runbook/rpc-away.md)",
          );
    return { name, number: block.number, findings: [finding] };
  } catch (error) {
    const isWrong = error instanceof WrongChainError;
    const toDo = isWrong ? "Correct RPC_URLS or CHAIN_ID; it is not used until then" : "docs/runbook/rpc-away.md";
    return { name, number: 0n, findings: [failure(name, messageOf(error), toDo)] };
  }
}

async function examineContracts(client: PublicClient, environment: ApiEnvironment): Promise<Finding[]> {
  try {
    const { purchaseNft: nft, cashbackDistributor: distributor } = readContracts(environment);
    const operator = getAddress(environment.operator.address);
    for (const [name, address] of [
      ["PurchaseNFT", nft],
      ["CashbackDistributor", distributor],
    ] as const) {
      if (!(await client.getCode({ address }))) {
        const toDo = "Correct the address, or deploy: npm run deploy -- --network …";
        return [failure("contracts", `There is no ${name} at ${address}`, toDo)];
      }
    }
    return [
      healthy("contracts", `PurchaseNFT ${nft}, CashbackDistributor ${distributor}`),
      ...(await examineRoles(client, nft, distributor, operator)),
      ...(await examineBalances(client, distributor, operator)),
    ];
  } catch (error) {
    return [failure("contracts", messageOf(error), "Correct the addresses, or the deployment record")];
  }
}

async function examineRoles(
  client: PublicClient,
  nft: Address,
  distributor: Address,
  operator: Address,
): Promise<Finding[]> {
  const token = { address: nft, abi: purchaseNftAbi } as const;
  const payer = { address: distributor, abi: cashbackDistributorAbi } as const;
  const paidFor = await client.readContract({ ...payer, functionName: "purchaseNFT" });
  const mayDo = async (roleName: "MINTER_ROLE" | "CONFIRMER_ROLE" | "CATALOGUE_ROLE") => {
    const role = await client.readContract({ ...token, functionName: roleName });
    return client.readContract({ ...token, functionName: "hasRole", args: [role, operator] });
  };
  const payerRole = await client.readContract({ ...payer, functionName: "PAYER_ROLE" });
  const roles = {
    MINTER_ROLE: await mayDo("MINTER_ROLE"),
    CONFIRMER_ROLE: await mayDo("CONFIRMER_ROLE"),
    CATALOGUE_ROLE: await mayDo("CATALOGUE_ROLE"),
    PAYER_ROLE: await client.readContract({ ...payer, functionName: "hasRole", args: [payerRole, operator] }),
  };
  const missing = Object.entries(roles).filter(([, has]) => !has);
  const paused = [
    (await client.readContract({ ...token, functionName: "paused" })) ? "PurchaseNFT" : "",
    (await client.readContract({ ...payer, functionName: "paused" })) ? "CashbackDistributor" : "",
  ].filter(Boolean);
  return [
    paidFor.toLowerCase() === nft.toLowerCase()
      ? healthy("pair", "the distributor pays for this PurchaseNFT")
      : failure(
          "pair",
          `the distributor pays for ${paidFor}, not ${nft}`,
          "Correct the two addresses: they were deployed with different partners",
        ),
    missing.length === 0
      ? healthy("roles", `${operator} mints, confirms, keeps the catalogue and pays`)
      : failure(
          "roles",
          `${operator} lacks ${missing.map(([role]) => role).join(", ")}`,
          "The contracts' admin grants them with grantRole (docs/runbook/key-rotation.md)",
        ),
    paused.length === 0
      ? healthy("pause", "neither contract is paused")
      : warning(
          "pause",
          `${paused.join(" and ")} is paused`,
          "Find out why; the admin calls unpause (docs/runbook/payments-paused.md)",
        ),
  ];
}

async function examineBalances(client: PublicClient, distributor: Address, operator: Address): Promise<Finding[]> {
  const payer = { address: distributor, abi: cashbackDistributorAbi } as const;
  const [gas, funds, credit, limits, spent] = await Promise.all([
    client.getBalance({ address: operator }),
    client.getBalance({ address: distributor }),
    client.readContract({ ...payer, functionName: "totalCredit" }),
    client.readContract({ ...payer, functionName: "limits" }),
    client.readContract({ ...payer, functionName: "spentToday" }),
  ]);
  const free = funds - credit;
  const left = limits.dailyCap - spent;
  return [
    gas >= LEAST_GAS_WEI
      ? healthy("hot wallet", `${formatEther(gas)} CHZ for gas`)
      : failure(
          "hot wallet",
          `${formatEther(gas)} CHZ for gas`,
          `Send CHZ to ${operator} (docs/runbook/wallet-empty.md)`,
        ),
    free > 0n
      ? healthy("distributor", `${formatEther(free)} CHZ to pay with, ${formatEther(credit)} CHZ owed as credit`)
      : failure(
          "distributor",
          `${formatEther(free)} CHZ to pay with`,
          `Send CHZ to ${distributor} (docs/runbook/wallet-empty.md)`,
        ),
    left * TEN_PERCENT > limits.dailyCap
      ? healthy("daily cap", `${formatEther(left)} of ${formatEther(limits.dailyCap)} CHZ are left today`)
      : warning(
          "daily cap",
          `${formatEther(left)} of ${formatEther(limits.dailyCap)} CHZ are left today`,
          "Payments go on tomorrow; the admin may raise it with setLimits",
        ),
  ];
}
