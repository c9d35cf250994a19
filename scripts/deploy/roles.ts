import {
  type Address,
  encodeFunctionData,
  type Hash,
  type Hex,
  isAddressEqual,
  keccak256,
  toFunctionSelector,
  toHex,
} from "viem";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import type { DeployConfiguration, RoleHolders } from "./configuration.ts";
import { DeployError } from "./deploy-error.ts";
import type { Call, DeployerWallet } from "./deployer-wallet.ts";

const ROLES = [
  { isOfNft: true, role: "MINTER_ROLE", holder: "minter" },
  { isOfNft: true, role: "CONFIRMER_ROLE", holder: "confirmer" },
  { isOfNft: true, role: "CATALOGUE_ROLE", holder: "catalogue" },
  { isOfNft: true, role: "PAUSER_ROLE", holder: "pauser" },
  { isOfNft: true, role: "TREASURER_ROLE", holder: "treasurer" },
  { isOfNft: false, role: "PAYER_ROLE", holder: "payer" },
  { isOfNft: false, role: "TREASURER_ROLE", holder: "treasurer" },
  { isOfNft: false, role: "PAUSER_ROLE", holder: "pauser" },
] as const;

/** A role on a contract, and who should hold it. */
export type RoleRow = { contract: Address; role: string; holder: Address };

/** Every role of both contracts, and its holder. */
export function roleTable(roles: RoleHolders, purchaseNft: Address, distributor: Address): RoleRow[] {
  return ROLES.map(({ isOfNft, role, holder }) => ({
    contract: isOfNft ? purchaseNft : distributor,
    role,
    holder: roles[holder],
  }));
}

/** The calls by which the tickets ask this distributor what is paid. The first contract asks nobody. */
export async function askCalls(
  { client, address: deployer }: DeployerWallet,
  purchaseNft: Address,
  distributor: Address,
  report: (line: string) => void,
): Promise<Call[]> {
  const nft = { address: purchaseNft, abi: purchaseNftAbi } as const;
  const asked = await client.readContract({ ...nft, functionName: "distributor" }).catch(() => undefined);
  if (asked === undefined || isAddressEqual(asked, distributor)) return [];
  const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "setDistributor", args: [distributor] });
  const admin = await client.readContract({ ...nft, functionName: "defaultAdmin" });
  if (admin === deployer) return [{ to: purchaseNft, data, what: `${purchaseNft} asks ${distributor} what is paid` }];
  report(
    `${purchaseNft} asks ${asked} what is paid: its admin ${admin} must call setDistributor(${distributor}), data ${data}`,
  );
  return [];
}

/** The id of a role, by its name. */
export function roleId(role: string): Hash {
  return keccak256(toHex(role));
}

/** The name of a role, by its id; the id itself if it is unknown. */
export function roleName(id: Hex): string {
  return ROLES.find(({ role }) => roleId(role) === id)?.role ?? id;
}

/** Grants what is missing of these roles. @throws Error if someone other than the deployer must grant it */
export async function grantCalls(wallet: DeployerWallet, table: readonly RoleRow[]): Promise<Call[]> {
  const calls: Call[] = [];
  for (const { contract, role, holder } of table) {
    if ((await hasRole(wallet, contract, role, holder)) || !(await knowsRole(wallet, contract, role))) continue;
    await requireAdmin(wallet, contract);
    calls.push({
      to: contract,
      data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "grantRole", args: [roleId(role), holder] }),
      what: `${role} on ${contract} granted to ${holder}`,
    });
  }
  return calls;
}

/** Whether the contract has this role: those of an earlier version have fewer. */
async function knowsRole({ client }: DeployerWallet, to: Address, role: string): Promise<boolean> {
  const { data } = await client.call({ to, data: toFunctionSelector(`${role}()`) }).catch(() => ({ data: undefined }));
  return data !== undefined;
}

async function requireAdmin({ client, address: deployer }: DeployerWallet, contract: Address): Promise<void> {
  const admin = await client.readContract({ address: contract, abi: purchaseNftAbi, functionName: "defaultAdmin" });
  if (admin === deployer) return;
  throw new DeployError(`Roles are missing on ${contract}; its admin ${admin}, not the deployer, must grant them`);
}

/** A deployer other than the operator gives up its hot roles, and offers the admin role as configured. */
export async function handOverCalls(
  wallet: DeployerWallet,
  { admin, adminDelaySeconds }: Pick<DeployConfiguration, "admin" | "adminDelaySeconds">,
  table: readonly RoleRow[],
): Promise<Call[]> {
  const { client, address: self } = wallet;
  const calls: Call[] = [];
  for (const { contract, role, holder } of table) {
    if (holder === self || !(await hasRole(wallet, contract, role, self))) continue;
    calls.push({
      to: contract,
      data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "renounceRole", args: [roleId(role), self] }),
      what: `${role} on ${contract} given up by the deployer`,
    });
  }
  if (!admin) return calls;
  for (const address of new Set(table.map(({ contract }) => contract))) {
    const [current, [pending]] = await Promise.all([
      client.readContract({ address, abi: purchaseNftAbi, functionName: "defaultAdmin" }),
      client.readContract({ address, abi: purchaseNftAbi, functionName: "pendingDefaultAdmin" }),
    ]);
    if (current !== self || current === admin || pending === admin) continue;
    calls.push({
      to: address,
      data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "beginDefaultAdminTransfer", args: [admin] }),
      what: `administration of ${address} offered to ${admin}, who takes it with acceptDefaultAdminTransfer() after ${adminDelaySeconds} s`,
    });
  }
  return calls;
}

function hasRole({ client }: DeployerWallet, address: Address, role: string, holder: Address): Promise<boolean> {
  return client.readContract({
    address,
    abi: purchaseNftAbi,
    functionName: "hasRole",
    args: [roleId(role), holder] as const,
  });
}
