import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import { z } from "zod";
import { type Deployment, deploymentPath, readDeployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorBytecode } from "../../core/chain/generated/cashback-distributor-bytecode.ts";
import { purchaseNftBytecode } from "../../core/chain/generated/purchase-nft-bytecode.ts";
import { ticketDescriptorBytecode } from "../../core/chain/generated/ticket-descriptor-bytecode.ts";
import { askOutside } from "../../core/process/outside.ts";
import type { Network } from "../../core/rules/networks.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import type { Finding } from "./check-deployment.ts";
import { readCompiledContract } from "./compiled-contract.ts";
import { distributorCreation, purchaseNftCreation } from "./creations.ts";
import { DeployError } from "./deploy-error.ts";

/** Explorers with Etherscan's interface for sources. */
const EXPLORERS: Partial<Record<Network, string>> = {
  spicy: "https://api.routescan.io/v2/network/testnet/evm/88882/etherscan/api",
  chiliz: "https://api.routescan.io/v2/network/mainnet/evm/88888/etherscan/api",
};
const POLL_MS = 3_000;
const POLLS_MAX = 20;

const answerSchema = z.object({ status: z.string(), result: z.string() });

type Subject = { name: string; address: string; creation: Hex; bytecode: string };

/**
 * Submits every source to the network's explorer. Also writes the same standard JSON next to the record, so that anyone can
 * rebuild the bytecode, or submit it manually if the explorer refuses. Returns one finding per contract.
 * @param explorerUrl an explorer other than the network's default
 */
export async function verifySource(network: Network, explorerUrl = EXPLORERS[network]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const subject of subjectsOf(readDeployment(network))) {
    const { compilerVersion, standardJson } = standardJsonOf(subject);
    const path = join(dirname(deploymentPath(network)), "sources", `${network}-${subject.name}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${standardJson}\n`);
    if (!explorerUrl) {
      findings.push({
        isGood: true,
        text: `${subject.name}: ${network} has no explorer; the standard JSON is ${path}`,
      });
      continue;
    }
    try {
      const outcome = await submit(explorerUrl, subject, compilerVersion, standardJson);
      findings.push({ isGood: true, text: `${subject.name}: ${outcome}` });
    } catch (error) {
      const reason = messageOf(error);
      findings.push({ isGood: false, text: `${subject.name}: not verified (${reason}); submit ${path} by hand` });
    }
  }
  return findings;
}

function subjectsOf({ ticketDescriptor, purchaseNft, cashbackDistributor }: Deployment): Subject[] {
  return [
    {
      name: "PurchaseNFT",
      address: purchaseNft.address,
      creation: purchaseNftCreation(purchaseNft),
      bytecode: purchaseNftBytecode,
    },
    {
      name: "CashbackDistributor",
      address: cashbackDistributor.address,
      creation: distributorCreation(cashbackDistributor.constructorArguments),
      bytecode: cashbackDistributorBytecode,
    },
    {
      name: "TicketDescriptor",
      address: ticketDescriptor.address,
      creation: ticketDescriptorBytecode,
      bytecode: ticketDescriptorBytecode,
    },
  ];
}

/** The compiler's complete input for a contract. Rejects one that was compiled differently from the deployed one. */
function standardJsonOf({ name, bytecode }: Subject): { compilerVersion: string; standardJson: string } {
  const compiled = readCompiledContract(`${name}.sol/${name}`);
  if (compiled.bytecode !== bytecode) {
    throw new DeployError(`${name} was compiled last with other sources or settings; run \`npm run generate\` first`);
  }
  return { compilerVersion: `v${compiled.compiler}`, standardJson: JSON.stringify(compiled.input) };
}

async function submit(
  explorerUrl: string,
  subject: Subject,
  compilerVersion: string,
  standardJson: string,
): Promise<string> {
  const submitted = await ask(explorerUrl, {
    module: "contract",
    action: "verifysourcecode",
    contractaddress: subject.address,
    sourceCode: standardJson,
    codeformat: "solidity-standard-json-input",
    contractname: `project/contracts/${subject.name}.sol:${subject.name}`,
    compilerversion: compilerVersion,
    // The interface spells it this way.
    constructorArguements: subject.creation.slice(subject.bytecode.length),
  });
  if (/already verified/i.test(submitted.result)) return "verified before";
  if (submitted.status !== "1") throw new DeployError(submitted.result);
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const { result } = await ask(explorerUrl, {
      module: "contract",
      action: "checkverifystatus",
      guid: submitted.result,
    });
    if (/pass|already verified/i.test(result)) return "verified";
    if (!/pending|queue/i.test(result)) throw new DeployError(result);
    await delay(POLL_MS);
  }
  throw new DeployError("the explorer did not finish");
}

async function ask(explorerUrl: string, fields: Record<string, string>): Promise<z.infer<typeof answerSchema>> {
  const { ok, status, json } = await askOutside(explorerUrl, { method: "POST", body: new URLSearchParams(fields) });
  if (!ok) throw new DeployError(`the explorer answered ${status}`);
  const answer = answerSchema.safeParse(json);
  if (!answer.success) throw new DeployError("the explorer's response is not in Etherscan's format");
  return answer.data;
}
