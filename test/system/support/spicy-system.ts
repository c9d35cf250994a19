import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeFunctionData, keccak256, toHex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import { sendMined } from "../../faults/support/contracts-admin.ts";
import { type Supervised, supervise } from "../../faults/support/supervised.ts";
import { type Anvil, startAnvil } from "../../testing/anvil.ts";
import { seedDatabase, startDeployedChain } from "../../testing/deployed-chain.ts";
import { freePorts } from "../../testing/free-port.ts";
import { type Particular, type ParticularNode, startParticularNode } from "../../testing/particular-node.ts";
import { Shopper } from "../../testing/shopper.ts";

export type SpicySystem = {
  anvil: Anvil;
  /** What all processes take for the provider. */
  node: ParticularNode;
  api: Supervised;
  indexer: Supervised;
  url: string;
  environment: Record<string, string>;
  head(): Promise<number>;
  shopper(): Promise<Shopper>;
  stop(): Promise<void>;
};

/** anvil's first account, which deploys. */
const DEPLOYER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const NFT_ROLES = ["MINTER_ROLE", "CONFIRMER_ROLE", "CATALOGUE_ROLE"];

/** The whole system with the rules of Spicy, on a local chain with a block every three seconds. */
export async function startSpicySystem(particular: Particular = {}): Promise<SpicySystem> {
  const directory = mkdtempSync(join(tmpdir(), "torcida-spicy-"));
  const [port = 0, indexerPort = 0] = await freePorts(2);
  const key = generatePrivateKey();
  const deployments = join(directory, "deployments");
  const stateFile = join(directory, "chain.json");
  const { anvil: first, deployment } = await startDeployedChain(
    directory,
    { DEPLOYMENTS_DIR: deployments },
    { stateFile },
  );
  const wallet = privateKeyToAddress(key);
  await first.request("anvil_setBalance", wallet, toHex(10n ** 24n));
  for (const role of [...NFT_ROLES, "PAYER_ROLE"]) {
    const to = role === "PAYER_ROLE" ? deployment.cashbackDistributor.address : deployment.purchaseNft.address;
    const args = [keccak256(toHex(role)), wallet] as const;
    const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "grantRole", args });
    await sendMined({ anvil: first }, { from: DEPLOYER, to, data });
  }
  await first.stop();
  const anvil = await startAnvil({ stateFile, manualBlocks: true, extraArguments: ["--block-time", "3"] });
  copyFileSync(join(deployments, "localhost.json"), join(deployments, "spicy.json"));
  const databaseUrl = join(directory, "torcida.db");
  await seedDatabase(databaseUrl, directory, deployment, "spicy");
  const node = await startParticularNode(anvil.rpcUrl, particular);
  const url = `http://127.0.0.1:${port}`;
  const environment: Record<string, string> = {
    PORT: String(port),
    INDEXER_PORT: String(indexerPort),
    HOST: "127.0.0.1",
    DATA_DIR: directory,
    DATABASE_URL: databaseUrl,
    DEPLOYMENTS_DIR: deployments,
    NETWORK: "spicy",
    RPC_URLS: node.url,
    PUBLIC_URL: url,
    OPERATOR_PRIVATE_KEY: key,
    ADMIN_WALLETS: "",
    SIMULATED_PURCHASES: "true",
    LOG_LEVEL: "info",
  };
  const api = supervise({ name: "api", script: "api/main.ts", url, environment });
  const indexerUrl = `http://127.0.0.1:${indexerPort}`;
  const indexer = supervise({ name: "indexer", script: "indexer/main.ts", url: indexerUrl, environment });
  const system: SpicySystem = {
    anvil,
    node,
    api,
    indexer,
    url,
    environment,
    head: async () => Number(await anvil.request("eth_blockNumber")),
    async shopper() {
      const shopper = new Shopper(url);
      await shopper.signUp();
      return shopper;
    },
    async stop() {
      await Promise.all([api, indexer].map((process) => process.stop("SIGKILL")));
      await node.stop();
      await anvil.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  indexer.start();
  api.start();
  try {
    await Promise.all([api.ready(), indexer.ready()]);
  } catch (error) {
    await system.stop();
    throw new Error(`${String(error)}\n${api.output().slice(-2_000)}\n${indexer.output().slice(-2_000)}`);
  }
  return system;
}
