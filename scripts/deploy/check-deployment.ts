import { type Address, createPublicClient, type Hex, http, type PublicClient } from "viem";
import { chainOf } from "../../chain/chains.ts";
import { type Deployment, readDeployment } from "../../chain/deployment.ts";
import { build } from "../../chain/generated/build.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import type { DeployConfiguration } from "./configuration.ts";
import { distributorCreation, purchaseNftCreation, roleId, roleTable, runtimeCode } from "./deploy-torcida.ts";
import { probeChain } from "./probe-chain.ts";

export type Finding = { isGood: boolean; text: string };

/**
 * Compares a network with its record and with this source: the bytecode (built again from the recorded constructor
 * arguments, immutables included), who holds which role, and who administers. Sends nothing.
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

async function roleFindings(
  client: PublicClient,
  configuration: DeployConfiguration,
  deployment: Deployment,
): Promise<Finding[]> {
  const contracts = [deployment.purchaseNft.address, deployment.cashbackDistributor.address] as const;
  const findings: Finding[] = [];
  const hasRole = (address: Address, role: string, holder: Address) =>
    client.readContract({ address, abi: purchaseNftAbi, functionName: "hasRole", args: [roleId(role), holder] });
  for (const { contract, role, holder } of roleTable(configuration, ...contracts)) {
    const isGood = await hasRole(contract, role, holder);
    findings.push({ isGood, text: `${holder} ${isGood ? "holds" : "lacks"} ${role} on ${contract}` });
    const { deployer } = deployment;
    if (deployer !== holder && (await hasRole(contract, role, deployer))) {
      findings.push({ isGood: false, text: `the deployer ${deployer} still holds ${role} on ${contract}` });
    }
  }
  for (const address of contracts) {
    const admin = await client.readContract({ address, abi: purchaseNftAbi, functionName: "defaultAdmin" });
    const isGood = configuration.admin === undefined || admin === configuration.admin;
    findings.push({
      isGood,
      text: `${admin} administers ${address}${isGood ? "" : `, not yet ${configuration.admin}`}`,
    });
  }
  return findings;
}
