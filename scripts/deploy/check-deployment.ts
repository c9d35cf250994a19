import {
  type Address,
  BaseError,
  getAbiItem,
  getAddress,
  type Hex,
  isAddress,
  isAddressEqual,
  type PublicClient,
  zeroAddress,
  zeroHash,
} from "viem";
import { readInRanges } from "../../core/chain/block-ranges.ts";
import { type Deployment, readDeployment } from "../../core/chain/deployment.ts";
import { build } from "../../core/chain/generated/build.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { ticketDescriptorBytecode } from "../../core/chain/generated/ticket-descriptor-bytecode.ts";
import { jsonOf } from "../../core/rules/records.ts";
import { openCommandChain } from "../operator/open-chain.ts";
import type { CheckConfiguration, ColdRole, RoleHolders } from "./configuration.ts";
import { distributorCreation, purchaseNftCreation, runtimeCode } from "./creations.ts";
import { probeChain } from "./probe-chain.ts";
import { roleId, roleName, roleTable } from "./roles.ts";
import { saidOtherwise } from "./said-otherwise.ts";

type HeldRole = { contract: Address; role: Hex; holder: Address };
type RoleChange = HeldRole & { isGranted: boolean };

/** OpenZeppelin's events are the same in both contracts. */
const EVENTS = [
  getAbiItem({ abi: purchaseNftAbi, name: "RoleGranted" }),
  getAbiItem({ abi: purchaseNftAbi, name: "RoleRevoked" }),
] as const;

const DEFAULT_ADMIN_ROLE = zeroHash;

const COLD_ROLES = {
  treasurer: { role: "TREASURER_ROLE", variable: "TREASURER_ADDRESS" },
  pauser: { role: "PAUSER_ROLE", variable: "PAUSER_ADDRESS" },
} as const satisfies Record<ColdRole, { role: string; variable: string }>;

export type Finding = { isGood: boolean; text: string };

/**
 * Compares a network with its record and with this source: the bytecode (rebuilt from the recorded constructor
 * arguments, immutables included), the holders of each role, and the admin. Sends nothing.
 */
export async function checkDeployment(configuration: CheckConfiguration): Promise<Finding[]> {
  const { network } = configuration;
  const client = await openCommandChain(configuration);
  await probeChain(client, network);
  const deployment = readDeployment(network);
  // By the record and by the variables, each once.
  const recorded = deployment.formerPurchaseNfts.map(({ address }) => getAddress(address));
  const formerTickets = [...new Set([...recorded, ...configuration.formerTickets])];
  return [
    sourceFinding(deployment),
    await codeFinding(client, "TicketDescriptor", deployment.ticketDescriptor.address, ticketDescriptorBytecode),
    await descriptorFinding(client, deployment),
    await codeFinding(
      client,
      "PurchaseNFT",
      deployment.purchaseNft.address,
      purchaseNftCreation(deployment.purchaseNft),
    ),
    await codeFinding(
      client,
      "CashbackDistributor",
      deployment.cashbackDistributor.address,
      distributorCreation(deployment.cashbackDistributor.constructorArguments),
    ),
    ...(await linkFindings(client, deployment)),
    ...(await successionFindings(client, deployment)),
    ...(await formerFindings(client, formerTickets, deployment)),
    ...(await stateFindings(client, configuration, deployment)),
    ...(await roleFindings(client, configuration, { deployment, formerTickets })),
  ];
}

/** Former tickets are continued by the ones after them, and not paused: what is open there can still be cancelled. */
async function formerFindings(
  client: PublicClient,
  formerTickets: readonly Address[],
  { purchaseNft }: Deployment,
): Promise<Finding[]> {
  const generations = [purchaseNft.address, ...formerTickets];
  const findings = formerTickets.map(async (address, index): Promise<Finding[]> => {
    const successor = generations[index] ?? purchaseNft.address;
    const ask = <Name extends "predecessor" | "paused">(at: Address, functionName: Name) =>
      client.readContract({ address: at, abi: purchaseNftAbi, functionName }).catch(() => undefined);
    const [continued, isPaused] = await Promise.all([ask(successor, "predecessor"), ask(address, "paused")]);
    const isContinued = continued !== undefined && isAddressEqual(continued, address);
    const paused = isPaused === undefined ? "; whether it is paused cannot be read" : isPaused ? " and is paused" : "";
    const call = isPaused ? "; its admin must call unpause()" : "";
    return [
      {
        isGood: isContinued && isPaused === false,
        text: `${address} ${isContinued ? "is" : "is not"} continued by ${successor}${paused}${call}`,
      },
    ];
  });
  return (await Promise.all(findings)).flat();
}

/** Pauses, delays, the site and the limits: as configured now, or else as they were deployed. Only what differs. */
async function stateFindings(
  client: PublicClient,
  { said }: CheckConfiguration,
  deployment: Deployment,
): Promise<Finding[]> {
  const { purchaseNft, cashbackDistributor } = deployment;
  const texts: string[] = [];
  const unread = (what: string) => (error: Error) => {
    texts.push(`${what} cannot be read (${error instanceof BaseError ? error.shortMessage : error.message})`);
  };
  for (const { address } of [purchaseNft, cashbackDistributor]) {
    const isPaused = await client
      .readContract({ address, abi: purchaseNftAbi, functionName: "paused" })
      .catch(unread(`whether ${address} is paused`));
    if (isPaused) texts.push(`${address} is paused; its admin must call unpause()`);
  }
  const wantedDelay = said.adminDelaySeconds ?? purchaseNft.constructorArguments[1];
  for (const { address } of [purchaseNft, cashbackDistributor]) {
    const contract = { address, abi: purchaseNftAbi } as const;
    const what = `the delay of the administration of ${address}`;
    const read = await Promise.all([
      client.readContract({ ...contract, functionName: "defaultAdminDelay" }),
      client.readContract({ ...contract, functionName: "pendingDefaultAdminDelay" }),
    ]).catch(unread(what));
    if (!read) continue;
    const [delay, [pending, from]] = read;
    if (from !== 0 && pending !== wantedDelay)
      texts.push(`${what} will be ${pending} s, not ${wantedDelay}; its admin must call rollbackDefaultAdminDelay()`);
    else if (from === 0 && delay !== wantedDelay)
      texts.push(
        `${what} is ${delay} s, not ${wantedDelay}; its admin must call changeDefaultAdminDelay(${wantedDelay})`,
      );
  }
  const first = cashbackDistributor.constructorArguments[3];
  const isSuccessor = deployment.formerDistributors.length > 0;
  // A successor took its limits over, which are compared with its predecessor's.
  const deployed = isSuccessor
    ? {}
    : {
        maxWeiPerCent: BigInt(first.maxWeiPerCent),
        maxPayout: BigInt(first.maxPayout),
        dailyCap: BigInt(first.dailyCap),
      };
  const ofSite = { siteUrl: new URL(purchaseNft.constructorArguments[2]).origin };
  const compared = { said: { ...said, adminDelaySeconds: undefined }, deployed: { ...deployed, ...ofSite } };
  texts.push(...((await saidOtherwise(client, compared, deployment).catch(unread("the site and the limits"))) ?? []));
  return texts.map((text) => ({ isGood: false, text }));
}

function sourceFinding({ build: recorded }: Deployment): Finding {
  const isGood = recorded.sourceHash === build.sourceHash;
  return {
    isGood,
    text: `the recorded source ${recorded.sourceHash.slice(0, 16)}… ${isGood ? "is" : "is not"} this source`,
  };
}

async function codeFinding(client: PublicClient, name: string, address: Address, creation: Hex): Promise<Finding> {
  const [code, expected] = await Promise.all([client.getCode({ address }), runtimeCode(client, creation)]);
  const isGood = code !== undefined && code === expected;
  const verdict = isGood ? "matches this source" : code ? "does not match this source" : "has no code";
  return { isGood, text: `${name} at ${address} ${verdict}` };
}

/** Whether the recorded descriptor is in use: an admin can set another one. */
async function descriptorFinding(client: PublicClient, deployment: Deployment): Promise<Finding> {
  const { purchaseNft, ticketDescriptor } = deployment;
  const drawing = await client
    .readContract({ address: purchaseNft.address, abi: purchaseNftAbi, functionName: "descriptor" })
    .catch(() => undefined);
  const isGood = drawing !== undefined && isAddressEqual(drawing, ticketDescriptor.address);
  return {
    isGood,
    text: `the tickets are drawn by ${drawing ?? "an unknown contract"}${isGood ? "" : `, not by the recorded ${ticketDescriptor.address}`}`,
  };
}

/** Where the tickets link to, and whom they ask whether they are paid; the first version asks nobody. */
async function linkFindings(
  client: PublicClient,
  { purchaseNft, cashbackDistributor }: Deployment,
): Promise<Finding[]> {
  const nft = { address: purchaseNft.address, abi: purchaseNftAbi } as const;
  const [asked, site] = await Promise.all([
    client.readContract({ ...nft, functionName: "distributor" }).catch(() => undefined),
    client.readContract({ ...nft, functionName: "siteUrl" }).catch(() => ""),
  ]);
  const origin = URL.canParse(site) ? new URL(site).origin : "an unknown site";
  const wanted = cashbackDistributor.address;
  const isGood = asked === undefined || isAddressEqual(asked, wanted);
  const call = isGood ? "" : `; its admin must call setDistributor(${wanted})`;
  return [
    { isGood: origin.startsWith("http"), text: `the tickets link to ${origin}/ticket/…` },
    { isGood, text: `the tickets ask ${asked ?? "nobody"} whether they are paid${call}` },
  ];
}

/** Missing holders, and unexpected ones: a former key, or an attacker's. */
async function roleFindings(
  client: PublicClient,
  configuration: CheckConfiguration,
  { deployment, formerTickets }: { deployment: Deployment; formerTickets: readonly Address[] },
): Promise<Finding[]> {
  const [nft, distributor] = [deployment.purchaseNft.address, deployment.cashbackDistributor.address];
  const former = deployment.formerDistributors.map(({ address }) => address);
  const contracts = [nft, distributor, ...formerTickets, ...former];
  const changes = (await roleChanges(client, contracts, BigInt(deployment.block))).filter(
    // There is at most one admin, returned by `defaultAdmin`.
    ({ role }) => role !== DEFAULT_ADMIN_ROLE,
  );
  const held = heldAfter(changes);
  const { roles, unsaid } = configuration;
  const findings = roles
    ? judgeRoles(held, { roles, unsaid, changes }, { nft, distributor, formerTickets, former })
    : held.map(({ contract, role, holder }) => ({
        isGood: true,
        text: `${holder} holds ${roleName(role)} on ${contract}; set OPERATOR_PRIVATE_KEY to check whether it should`,
      }));
  for (const address of contracts) findings.push(...(await adminFindings(client, configuration, address)));
  return findings;
}

/** Who administers a contract, and whether a hand-over to an address that is not configured is pending. */
async function adminFindings(
  client: PublicClient,
  { admin: wanted, roles }: CheckConfiguration,
  address: Address,
): Promise<Finding[]> {
  const contract = { address, abi: purchaseNftAbi } as const;
  const [admin, [offered]] = await Promise.all([
    client.readContract({ ...contract, functionName: "defaultAdmin" }).catch(() => "an unknown admin"),
    client.readContract({ ...contract, functionName: "pendingDefaultAdmin" }).catch(() => [zeroAddress] as const),
  ]);
  const isGood = isAddress(admin) && (wanted === undefined || admin === wanted);
  const untilAccepted = offered === wanted ? ", as is expected until that address accepts what it was offered" : "";
  const findings = [
    {
      isGood,
      text: `${admin} administers ${address}${isGood || !wanted ? "" : `, not yet ${wanted}${untilAccepted}`}`,
    },
  ];
  if (offered === zeroAddress || offered === wanted) return findings;
  const text = `the administration of ${address} is offered to ${offered}`;
  // Without a configuration, the intended admin is unknown.
  if (!roles && !wanted)
    return [...findings, { isGood: true, text: `${text}; set ADMIN_ADDRESS to check whether it should` }];
  return [...findings, { isGood: false, text }];
}

/**
 * A former distributor's roles may be revoked, but nobody else may hold them: its treasurer can still sweep. In former
 * tickets nobody mints, and what is open there is still confirmed.
 */
function judgeRoles(
  held: readonly HeldRole[],
  said: { roles: RoleHolders; unsaid: readonly ColdRole[]; changes: readonly RoleChange[] },
  parties: { nft: Address; distributor: Address; formerTickets: readonly Address[]; former: readonly Address[] },
): Finding[] {
  const { nft, distributor, formerTickets, former } = parties;
  const { roles, unsaid, changes } = said;
  /** A cold role that no variable names belongs to whom the deployment gave it: never to a server's key by default. */
  const rolesAt = (tickets: Address, payer: Address) =>
    roleTable(roles, tickets, payer).map(({ contract: at, role: name, holder }): HeldRole => {
      const one = { contract: at, role: roleId(name), holder };
      const first = changes.find(({ contract, role }) => role === one.role && isAddressEqual(contract, one.contract));
      return first && unsaid.some((cold) => COLD_ROLES[cold].role === name) ? { ...one, holder: first.holder } : one;
    });
  const ofFormer = formerTickets.flatMap((address) =>
    rolesAt(address, distributor).filter(
      ({ contract, role }) => contract === address && role !== roleId("MINTER_ROLE"),
    ),
  );
  const wanted = [...rolesAt(nft, distributor), ...ofFormer.filter(({ role }) => role === roleId("CONFIRMER_ROLE"))];
  const allowed = [...wanted, ...ofFormer, ...former.flatMap((address) => rolesAt(nft, address))];
  /** What to set first, where the role of a difference is compared with the deployment. */
  const unless = ({ role }: HeldRole) => {
    const name = unsaid.find((one) => roleId(COLD_ROLES[one].role) === role);
    const isOther = name !== undefined && wanted.some((one) => one.role === role && one.holder !== roles[name]);
    return isOther ? `; if it was moved on purpose, set ${COLD_ROLES[name].variable}, otherwise` : ";";
  };
  return [
    ...wanted.map((one) => {
      const isGood = held.some((other) => isSame(one, other));
      const call = isGood ? "" : `${unless(one)} its admin must call grantRole(${one.role}, ${one.holder})`;
      const verdict = isGood ? "holds" : "lacks";
      return { isGood, text: `${one.holder} ${verdict} ${roleName(one.role)} on ${one.contract}${call}` };
    }),
    ...held
      .filter((one) => !allowed.some((other) => isSame(one, other)))
      .map((one) => ({
        isGood: false,
        text: `${one.holder} holds ${roleName(one.role)} on ${one.contract} and should not${unless(one)} its admin must call revokeRole(${one.role}, ${one.holder})`,
      })),
  ];
}

function isSame(one: HeldRole, other: HeldRole): boolean {
  return (
    one.role === other.role && isAddressEqual(one.contract, other.contract) && isAddressEqual(one.holder, other.holder)
  );
}

/** Every grant and revocation since `fromBlock`, the oldest first. */
export async function roleChanges(
  client: PublicClient,
  contracts: readonly Address[],
  fromBlock: bigint,
): Promise<RoleChange[]> {
  const logs = await readInRanges(fromBlock, await client.getBlockNumber(), (from, to) =>
    client.getLogs({ address: [...contracts], events: EVENTS, fromBlock: from, toBlock: to, strict: true }),
  );
  return logs.map(({ address, eventName, args }) => ({
    contract: getAddress(address),
    role: args.role,
    holder: args.account,
    isGranted: eventName === "RoleGranted",
  }));
}

/** All holders of roles after these changes. */
export function heldAfter(changes: readonly RoleChange[]): HeldRole[] {
  const held = new Map<string, HeldRole>();
  for (const { isGranted, ...one } of changes) {
    const key = `${one.contract} ${one.role} ${one.holder}`;
    if (isGranted) held.set(key, one);
    else held.delete(key);
  }
  return [...held.values()];
}

// Whether a successor took over ----------------------------------------------------------------------------------------------

/** What a person changed later is not compared. */
const CHANGES = (["LimitsSet", "Paused", "Unpaused"] as const).map((name) =>
  getAbiItem({ abi: cashbackDistributorAbi, name }),
);

type Distributor = Deployment["cashbackDistributor"] & { block: number };
type View = "isRetired" | "predecessor" | "limits" | "paused" | "spentToday";

/**
 * Whether each former distributor is retired, and its successor names it and took over its limits, its pause and what it
 * spent that day.
 */
async function successionFindings(client: PublicClient, deployment: Deployment): Promise<Finding[]> {
  const { cashbackDistributor, formerDistributors } = deployment;
  const successors = [cashbackDistributor, ...formerDistributors];
  const findings = await Promise.all(
    formerDistributors.map(({ address }, index) => {
      const successor = successors[index];
      return successor ? findingsOf(client, address, { ...successor, block: successor.block ?? deployment.block }) : [];
    }),
  );
  return findings.flat();
}

async function findingsOf(client: PublicClient, former: Address, successor: Distributor): Promise<Finding[]> {
  // One block for all: at midnight both spent nothing.
  const blockNumber = await client.getBlockNumber();
  const read = <Name extends View>(address: Address, functionName: Name) =>
    client.readContract({ address, abi: cashbackDistributorAbi, functionName, blockNumber }).catch(() => undefined);
  const both = <Name extends View>(name: Name) => Promise.all([read(successor.address, name), read(former, name)]);
  const [before, isRetired, limits, pauses, spent, changed] = await Promise.all([
    read(successor.address, "predecessor"),
    read(former, "isRetired"),
    both("limits"),
    both("paused"),
    both("spentToday"),
    changedSince(client, former, successor, blockNumber),
  ]);
  const takenOver = (isTaken: boolean, isChanged: boolean, what: string): Finding => {
    const verdict = isTaken ? "as" : isChanged ? "changed since it took over from" : "not as";
    return { isGood: isTaken || isChanged, text: `${what} of ${successor.address}: ${verdict} ${former}` };
  };
  return [
    {
      isGood: before !== undefined && isAddressEqual(before, former) && isRetired === true,
      text: `${former} ${isRetired ? "is retired" : "is not retired"}, and the predecessor of ${successor.address} is ${before ?? "unknown"}`,
    },
    takenOver(areSame(limits), changed.has("LimitsSet"), "limits"),
    takenOver(areSame(pauses), changed.has("Paused") || changed.has("Unpaused"), "pause"),
    takenOver(spent[0] !== undefined && spent[0] >= (spent[1] ?? 0n), false, "spent today"),
  ];
}

/** The events by which either was changed after the successor's creation. */
async function changedSince(client: PublicClient, former: Address, successor: Distributor, head: bigint) {
  const logs = await readInRanges(BigInt(successor.block), head, (fromBlock, toBlock) =>
    client.getLogs({ address: [former, successor.address], events: CHANGES, fromBlock, toBlock, strict: true }),
  );
  const later = logs.filter(({ transactionHash }) => transactionHash !== successor.transaction);
  return new Set<string>(later.map(({ eventName }) => eventName));
}

function areSame([one, other]: [unknown, unknown]): boolean {
  return one !== undefined && jsonOf(one) === jsonOf(other);
}
