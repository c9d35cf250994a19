import { type Address, formatEther, getAddress, keccak256, type PublicClient, toHex, zeroAddress } from "viem";
import type { ApiEnvironment } from "../../api/environment.ts";
import type { Contracts } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { readContracts } from "../../core/process/contracts.ts";
import { openLog } from "../../core/process/log.ts";
import { type OpenChain, openChain } from "../../core/process/rpc/chain-client.ts";
import { WrongChainError } from "../../core/process/rpc/node-pool.ts";
import type { ChainMemory } from "../../core/process/rpc/node-proof.ts";
import { refuseWrongContracts } from "../../core/process/rpc/refuse-wrong-contracts.ts";
import type { KeyName, SigningKey } from "../../core/process/signing-keys.ts";
import { shortMessageOf } from "../../core/rules/unknown-error.ts";
import type { OperatorEnvironment } from "../operator/environment.ts";
import { examineNames } from "./examine-names.ts";
import { type Finding, failure, healthy, warning } from "./finding.ts";

const GREATEST_HEAD_AGE_S = 60;
const GREATEST_LAG_BLOCKS = 10n;
/** A million gas costs about 2.5 CHZ at the lowest base fee; this is enough for dozens of batches. */
const LEAST_GAS_WEI = 50n * 10n ** 18n;
const TEN_PERCENT = 10n;

/** Checks every RPC, with the same verification as the system itself, and both contracts. */
export async function examineChain(
  environment: ApiEnvironment,
  operator: OperatorEnvironment,
  memory: ChainMemory,
): Promise<Finding[]> {
  const { network, CHAIN_ID: chainId, RPC_URLS } = environment;
  const known = { network, chainId, contract: purchaseNftOf(environment), memory, log: openLog("silent") };
  const chains = await Promise.all(RPC_URLS.map((url) => openChain({ ...known, urls: [url] })));
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
  const chain = chains[best];
  if (chain) {
    findings.push(...(await examineContracts(chain, environment)), ...(await examineNames(chain.client, operator)));
  }
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
    return { name, number: 0n, findings: [failure(name, shortMessageOf(error), toDo)] };
  }
}

async function examineContracts({ client, nodes }: OpenChain, environment: ApiEnvironment): Promise<Finding[]> {
  try {
    const contracts = readContracts(environment);
    const { purchaseNft: nft, cashbackDistributor: distributor } = contracts;
    const { keys } = environment;
    await refuseWrongContracts(nodes, contracts);
    return [
      healthy("contracts", `PurchaseNFT ${nft}, CashbackDistributor ${distributor}`),
      ...(await examineContractRoles(client, { nft, distributor, keys })),
      ...(await examineFormer(client, contracts, environment)),
      ...(await examineWallets(client, environment)),
      ...(await examineDistributor(client, distributor)),
    ];
  } catch (error) {
    return [
      failure("contracts", shortMessageOf(error), "Correct the addresses, or deploy: npm run deploy -- --network …"),
    ];
  }
}

/** Tickets that others continue are still confirmed and cancelled there. docs/upgrading.md#another-pair */
async function examineFormer(
  client: PublicClient,
  { formerPurchaseNfts = [] }: Contracts,
  { keys }: ApiEnvironment,
): Promise<Finding[]> {
  const confirmer = keys.find(({ parts }) => parts.includes("confirmer"))?.address;
  return Promise.all(
    formerPurchaseNfts.map(async (address) => {
      const contract = { address, abi: purchaseNftAbi } as const;
      const args = confirmer && ([keccak256(toHex("CONFIRMER_ROLE")), confirmer] as const);
      if (args && !(await client.readContract({ ...contract, functionName: "hasRole", args })))
        return failure(
          "former tickets",
          `${confirmer} lacks CONFIRMER_ROLE on ${address}`,
          "Its admin grants it with grantRole: what is open there is neither confirmed nor cancelled",
        );
      return healthy("former tickets", `${address} is continued; 1.0.0 cannot follow, and must not be started again`);
    }),
  );
}

type Parties = { nft: Address; distributor: Address; keys: readonly SigningKey[] };

/** Each role, and the key that needs it. */
const ROLES = [
  ["MINTER_ROLE", "minter"],
  ["CONFIRMER_ROLE", "confirmer"],
  ["CATALOGUE_ROLE", "operator"],
  ["PAYER_ROLE", "payer"],
] as const satisfies [string, KeyName][];

async function examineRoles(client: PublicClient, { nft, distributor, keys }: Parties): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, parts, address } of keys) {
    const wanted = ROLES.filter(([, part]) => parts.includes(part)).map(([role]) => role);
    const missing: string[] = [];
    for (const role of wanted) {
      const contract = { address: role === "PAYER_ROLE" ? distributor : nft, abi: purchaseNftAbi } as const;
      const args = [keccak256(toHex(role)), address] as const;
      if (!(await client.readContract({ ...contract, functionName: "hasRole", args }))) missing.push(role);
    }
    const who = `${name} ${getAddress(address)}`;
    const toDo = "The contracts' admin grants them with grantRole (docs/runbook/key-rotation.md)";
    findings.push(
      missing.length === 0
        ? healthy("roles", `${who} has ${wanted.join(", ")}`)
        : failure("roles", `${who} lacks ${missing.join(", ")}`, toDo),
    );
  }
  return findings;
}

async function examineContractRoles(client: PublicClient, parties: Parties): Promise<Finding[]> {
  const { nft, distributor } = parties;
  const token = { address: nft, abi: purchaseNftAbi } as const;
  const payer = { address: distributor, abi: cashbackDistributorAbi } as const;
  const paidFor = await client.readContract({ ...payer, functionName: "purchaseNFT" });
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
    ...(await examineRoles(client, parties)),
    paused.length === 0
      ? healthy("pause", "neither contract is paused")
      : warning(
          "pause",
          `${paused.join(" and ")} is paused`,
          "Find out why; the admin calls unpause (docs/runbook/payouts-paused.md)",
        ),
  ];
}

async function examineWallets(client: PublicClient, { keys, network }: ApiEnvironment): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, address } of keys) {
    const gas = await client.getBalance({ address });
    const subject = keys.length === 1 ? "hot wallet" : `${name}'s wallet`;
    const detail = `${formatEther(gas)} CHZ for gas`;
    const toDo = `Send CHZ to ${getAddress(address)}, until it has ${formatEther(LEAST_GAS_WEI)} (docs/runbook/wallet-empty.md)`;
    findings.push(gas >= LEAST_GAS_WEI ? healthy(subject, detail) : failure(subject, detail, toDo));
  }
  if (network === "chiliz" && keys.length === 1) {
    const toDo = "Give minter, confirmer and payer keys of their own (docs/going-live.md)";
    findings.push(warning("keys", "one key mints, confirms and pays", toDo));
  }
  return findings;
}

async function examineDistributor(client: PublicClient, distributor: Address): Promise<Finding[]> {
  const payer = { address: distributor, abi: cashbackDistributorAbi } as const;
  const [funds, credit, limits, spent] = await Promise.all([
    client.getBalance({ address: distributor }),
    client.readContract({ ...payer, functionName: "totalCredit" }),
    client.readContract({ ...payer, functionName: "limits" }),
    client.readContract({ ...payer, functionName: "spentToday" }),
  ]);
  const free = funds - credit;
  const left = limits.dailyCap - spent;
  return [
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
          "Payouts resume tomorrow; the admin can raise it with setLimits",
        ),
  ];
}
