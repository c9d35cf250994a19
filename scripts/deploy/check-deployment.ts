import {
  type Address,
  createPublicClient,
  type Hex,
  http,
  isAddress,
  isAddressEqual,
  type PublicClient,
  zeroHash,
} from "viem";
import { chainOf } from "../../chain/chains.ts";
import { type Deployment, readDeployment } from "../../chain/deployment.ts";
import { build } from "../../chain/generated/build.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import type { DeployConfiguration } from "./configuration.ts";
import { distributorCreation, purchaseNftCreation, roleId, roleTable, runtimeCode } from "./deploy-torcida.ts";
import { probeChain } from "./probe-chain.ts";
import { type RoleHolding, roleHolders } from "./role-holders.ts";

/** OpenZeppelin's `DEFAULT_ADMIN_ROLE`; there is one holder at most, whom `defaultAdmin` tells. */
const ADMIN_ROLE = zeroHash;

export type Finding = { isGood: boolean; text: string };

/**
 * Compares a network with its record and with this source: the bytecode (built again from the recorded constructor
 * arguments, immutables included), who holds which role and nobody else, and who administers. Sends nothing.
 */
export async function checkDeployment(configuration: DeployConfiguration): Promise<Finding[]> {
  const { network, chainId, rpcUrl } = configuration;
  const client = createPublicClient({ chain: chainOf(network, rpcUrl), transport: http(rpcUrl) });
  await probeChain(client, chainId, rpcUrl);
  const deployment = readDeployment(network);
  return [
    sourceFinding(deployment),
    await codeFinding(
      client,
      "PurchaseNFT",
      deployment.purchaseNft.address,
      purchaseNftCreation(deployment.purchaseNft.constructorArguments),
    ),
    await codeFinding(
      client,
      "CashbackDistributor",
      deployment.cashbackDistributor.address,
      distributorCreation(deployment.cashbackDistributor.constructorArguments),
    ),
    ...(await roleFindings(client, configuration, deployment)),
  ];
}

function sourceFinding({ build: recorded }: Deployment): Finding {
  const isGood = recorded.sourceHash === build.sourceHash;
  return { isGood, text: `source ${recorded.sourceHash.slice(0, 16)}… ${isGood ? "is" : "is not"} this source` };
}

async function codeFinding(client: PublicClient, name: string, address: Address, creation: Hex): Promise<Finding> {
  const [code, expected] = await Promise.all([client.getCode({ address }), runtimeCode(client, creation)]);
  const isGood = code !== undefined && code === expected;
  return {
    isGood,
    text: `${name} at ${address} ${isGood ? "is" : code ? "is not" : "has no code, so is not"} what this source makes`,
  };
}

/** Who should hold a role and does not, and who holds one beyond the table: a key of former days, or a thief's. */
async function roleFindings(
  client: PublicClient,
  configuration: DeployConfiguration,
  deployment: Deployment,
): Promise<Finding[]> {
  const contracts = [deployment.purchaseNft.address, deployment.cashbackDistributor.address] as const;
  const held = await roleHolders(client, contracts, BigInt(deployment.block));
  const wanted = roleTable(configuration, ...contracts);
  const findings: Finding[] = wanted.map(({ contract, role, holder }) => {
    const isGood = held.some((one) => isSame(one, { contract, role: roleId(role), holder }));
    return { isGood, text: `${holder} ${isGood ? "holds" : "lacks"} ${role} on ${contract}` };
  });
  const expected = wanted.map(({ contract, role, holder }) => ({ contract, role: roleId(role), holder }));
  for (const one of held) {
    if (one.role === ADMIN_ROLE || expected.some((other) => isSame(one, other))) continue;
    const role = wanted.find((row) => roleId(row.role) === one.role)?.role ?? one.role;
    findings.push({ isGood: false, text: `${one.holder} holds ${role} on ${one.contract} and should not` });
  }
  for (const address of contracts) {
    const admin = await client
      .readContract({ address, abi: purchaseNftAbi, functionName: "defaultAdmin" })
      .catch(() => "nobody who can be read");
    const isGood = isAddress(admin) && (configuration.admin === undefined || admin === configuration.admin);
    findings.push({
      isGood,
      text: `${admin} administers ${address}${isGood || !configuration.admin ? "" : `, not yet ${configuration.admin}`}`,
    });
  }
  return findings;
}

function isSame(one: RoleHolding, other: RoleHolding): boolean {
  return (
    one.role === other.role && isAddressEqual(one.contract, other.contract) && isAddressEqual(one.holder, other.holder)
  );
}
