import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hash,
  type Hex,
  keccak256,
  type PublicClient,
  parseEther,
  type TransactionSerializable,
  toHex,
  zeroAddress,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { type Deployment, deploymentPath, deploymentSchema, findDeployment } from "../../chain/deployment.ts";
import { build } from "../../chain/generated/build.ts";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import { cashbackDistributorBytecode } from "../../chain/generated/cashback-distributor-bytecode.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import { purchaseNftBytecode } from "../../chain/generated/purchase-nft-bytecode.ts";
import { testFanTokenAbi } from "../../chain/generated/test-fan-token.ts";
import { testFanTokenBytecode } from "../../chain/generated/test-fan-token-bytecode.ts";
import { ticketDescriptorBytecode } from "../../chain/generated/ticket-descriptor-bytecode.ts";
import { DEMO_SHOPPER } from "../../domain/demo-wallets.ts";
import type { ChainClient } from "../../platform/rpc/chain-client.ts";
import { openCommandChain } from "../operator/open-chain.ts";
import type { DeployConfiguration, RoleHolders } from "./configuration.ts";
import { Journal, writeWhole } from "./journal.ts";
import { probeChain } from "./probe-chain.ts";

/** A store whose name must be on the chain; `id` is the database's. */
export type StoreName = { id: number; name: string };

export type DeployOptions = {
  configuration: DeployConfiguration;
  /** Stores to register; a store that already has a name keeps it. */
  stores: readonly StoreName[];
  /** Reports each step in one line. */
  report?: (line: string) => void;
};

/** The decimals of fan tokens on Chiliz: 0 for the older, 18 for the newer; both are used. */
const LOCAL_FAN_TOKENS = [
  { slug: "psg", symbol: "PSG", name: "Paris Saint-Germain", decimals: 0 },
  { slug: "verdao", symbol: "VERDAO", name: "Palmeiras", decimals: 18 },
] as const;

/** On the local chain only: the demo shopper's fan tokens. */
const DEMO_HOLDINGS = { psg: 35n, verdao: 12n };

const SETTLE_TIMEOUT_MS = 180_000;

/** On the local chain only: the initial funds of the operator and the distributor. */
const LOCAL_OPERATOR_WEI = parseEther("1000000");
const LOCAL_POOL_WEI = parseEther("250000");
const LOCAL_POOL_LOW_WEI = parseEther("25000");

/**
 * Brings a network to the state that the configuration describes, and returns its record. It does not change what exists
 * already, so a second run changes nothing and a run after a crash continues.
 * @throws Error with one sentence
 */
export async function deployTorcida(options: DeployOptions): Promise<Deployment> {
  const client = await openCommandChain(options.configuration);
  await probeChain(client, options.configuration.network);
  return await new Deployer(options, client).run();
}

class Deployer {
  readonly #configuration: DeployConfiguration;
  readonly #stores: readonly StoreName[];
  readonly #report: (line: string) => void;
  readonly #account: PrivateKeyAccount;
  readonly #client: ChainClient;
  readonly #journal: Journal;

  constructor({ configuration, stores, report = () => {} }: DeployOptions, client: ChainClient) {
    this.#configuration = configuration;
    this.#stores = stores;
    this.#report = report;
    this.#account = privateKeyToAccount(configuration.deployerKey);
    this.#client = client;
    this.#journal = new Journal(journalPath(configuration));
  }

  async run(): Promise<Deployment> {
    const { network, chainId } = this.#configuration;
    if (network === "localhost") await this.#fillOperator();
    await this.#settled();
    const recorded = findDeployment(network);

    const descriptor = await this.#create("TicketDescriptor", ticketDescriptorBytecode, recorded?.ticketDescriptor);
    const nftArguments = recorded?.purchaseNft.constructorArguments ?? [
      this.#account.address,
      this.#configuration.adminDelaySeconds,
      this.#configuration.siteUrl,
      descriptor.address,
    ];
    if (descriptor.isNew) nftArguments[3] = descriptor.address;
    const nft = await this.#create("PurchaseNFT", purchaseNftCreation(nftArguments), recorded?.purchaseNft);
    const distributorValues = nft.isNew
      ? distributorArguments(this.#configuration, this.#account.address, nft.address)
      : (recorded?.cashbackDistributor.constructorArguments ??
        distributorArguments(this.#configuration, this.#account.address, nft.address));
    const distributor = await this.#create(
      "CashbackDistributor",
      distributorCreation(distributorValues),
      recorded?.cashbackDistributor,
    );
    const fanTokens = network === "localhost" ? await this.#fanTokens(recorded) : (recorded?.fanTokens ?? []);

    await this.#sendAll([
      ...(await this.#roleCalls(nft.address, distributor.address)),
      ...(await this.#storeCalls(nft.address)),
      ...(await this.#holdingCalls(fanTokens)),
      ...(await this.#fundingCalls(distributor.address)),
    ]);
    await this.#sendAll(await this.#renounceCalls(nft.address, distributor.address));

    const isFresh = !recorded || nft.isNew || distributor.isNew;
    const deployment = deploymentSchema.parse({
      network,
      chainId,
      block: isFresh ? Number(await this.#blockOf(nft.transaction)) : recorded.block,
      deployer: isFresh ? this.#account.address : recorded.deployer,
      ticketDescriptor: { address: descriptor.address, transaction: descriptor.transaction },
      purchaseNft: { address: nft.address, transaction: nft.transaction, constructorArguments: nftArguments },
      cashbackDistributor: {
        address: distributor.address,
        transaction: distributor.transaction,
        constructorArguments: distributorValues,
      },
      build: isFresh ? build : recorded.build,
      fanTokens,
    });
    if (JSON.stringify(deployment) !== JSON.stringify(recorded)) writeWhole(deploymentPath(network), deployment);
    this.#journal.remove();
    return deployment;
  }

  /** A contract with exactly this code: the recorded one, one signed by an interrupted run, or a new one. */
  async #create(name: string, creation: Hex, recorded: { address: Address; transaction: string } | undefined) {
    if (recorded && (await this.#isKept(name, recorded.address, creation))) {
      return { address: recorded.address, transaction: recorded.transaction as Hash, isNew: false };
    }
    const signed = this.#journal.get(name);
    if (signed?.creationHash === keccak256(creation) && (await this.#resume(signed.address, creation, signed))) {
      this.#report(`${name} was on its way; it stands at ${signed.address}`);
      return { address: signed.address, transaction: signed.transaction, isNew: true };
    }
    const nonce = await this.#client.getTransactionCount({ address: this.#account.address, blockTag: "pending" });
    const rawTransaction = await this.#sign({ data: creation, nonce });
    const address = getContractAddress({ from: this.#account.address, nonce: BigInt(nonce) });
    const transaction = keccak256(rawTransaction);
    this.#journal.set(name, { creationHash: keccak256(creation), rawTransaction, transaction, address, nonce });
    await this.#hand(rawTransaction);
    await this.#succeeded(transaction, name);
    this.#report(`${name} deployed to ${address}`);
    return { address, transaction, isNew: true };
  }

  /**
   * Whether a recorded contract is kept. On the local chain one of another version is, because the database refers to it;
   * elsewhere a record that does not fit is for a person to look at, never a reason to deploy.
   */
  async #isKept(name: string, address: Address, creation: Hex): Promise<boolean> {
    if (await this.#stands(address, creation)) {
      this.#report(`${name} stands at ${address}`);
      return true;
    }
    const isLocal = this.#configuration.network === "localhost";
    const isThere = (await this.#client.getCode({ address })) !== undefined;
    if (!isLocal) {
      const what = isThere ? "other code than this version makes" : "no code";
      throw new Error(`${name} is recorded at ${address}, where there is ${what}; move the record away to deploy anew`);
    }
    if (isThere) this.#report(`${name} of another version stands at ${address}; remove the data folder to start anew`);
    return isThere;
  }

  /** Whether the code at an address equals what this creation would deploy there, immutables included. */
  async #stands(address: Address, creation: Hex): Promise<boolean> {
    const code = await this.#client.getCode({ address });
    return code !== undefined && code === (await runtimeCode(this.#client, creation));
  }

  async #resume(
    address: Address,
    creation: Hex,
    { rawTransaction, transaction, nonce }: { rawTransaction: Hex; transaction: Hash; nonce: number },
  ) {
    if (await this.#stands(address, creation)) return true;
    if ((await this.#client.getTransactionCount({ address: this.#account.address })) > nonce) return false;
    await this.#hand(rawTransaction);
    await this.#succeeded(transaction, "the creation of the interrupted run");
    return true;
  }

  async #fanTokens(recorded: Deployment | undefined): Promise<Deployment["fanTokens"]> {
    const tokens: Deployment["fanTokens"] = [];
    for (const { slug, symbol, name, decimals } of LOCAL_FAN_TOKENS) {
      const creation = encodeDeployData({
        abi: testFanTokenAbi,
        bytecode: testFanTokenBytecode,
        args: [name, symbol, decimals],
      });
      const known = recorded?.fanTokens.find((token) => token.slug === slug);
      const { address } = await this.#create(
        `TestFanToken ${symbol}`,
        creation,
        known && { address: known.address, transaction: "" },
      );
      tokens.push({ slug, symbol, decimals, address });
    }
    return tokens;
  }

  async #roleCalls(purchaseNft: Address, distributor: Address): Promise<Call[]> {
    const calls: Call[] = [];
    for (const { contract, role, holder } of roleTable(this.#configuration.roles, purchaseNft, distributor)) {
      if (await this.#hasRole(contract, role, holder)) continue;
      calls.push({
        to: contract,
        data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "grantRole", args: [roleId(role), holder] }),
        what: `${role} granted to ${holder}`,
      });
    }
    if (calls.length > 0) await this.#requireAdmin(purchaseNft, distributor);
    return calls;
  }

  async #requireAdmin(...contracts: Address[]): Promise<void> {
    for (const address of contracts) {
      const admin = await this.#client.readContract({ address, abi: purchaseNftAbi, functionName: "defaultAdmin" });
      if (admin === this.#account.address) continue;
      throw new Error(
        `Roles are missing on ${address} and ${admin} is its admin, not the deployer; it must grant them`,
      );
    }
  }

  async #storeCalls(purchaseNft: Address): Promise<Call[]> {
    const isRegistrar = this.#configuration.roles.catalogue === this.#account.address;
    const calls: Call[] = [];
    for (const { id, name } of this.#stores) {
      const known = await this.#client.readContract({
        address: purchaseNft,
        abi: purchaseNftAbi,
        functionName: "storeName",
        args: [id],
      });
      if (known !== "") continue;
      calls.push({
        to: purchaseNft,
        data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "registerStore", args: [id, name] }),
        what: `store ${id} registered as ${name}`,
      });
    }
    if (calls.length > 0 && !isRegistrar) {
      this.#report(
        `${calls.length} stores have no name on chain; ${this.#configuration.roles.catalogue} must register them`,
      );
      return [];
    }
    return calls;
  }

  async #fundingCalls(distributor: Address): Promise<Call[]> {
    if (this.#configuration.network !== "localhost") return [];
    if ((await this.#client.getBalance({ address: distributor })) >= LOCAL_POOL_LOW_WEI) return [];
    return [{ to: distributor, value: LOCAL_POOL_WEI, what: "the distributor funded" }];
  }

  async #holdingCalls(fanTokens: Deployment["fanTokens"]): Promise<Call[]> {
    const calls: Call[] = [];
    for (const { slug, symbol, decimals, address } of fanTokens) {
      const held = DEMO_HOLDINGS[slug as keyof typeof DEMO_HOLDINGS];
      if (this.#configuration.network !== "localhost" || held === undefined) continue;
      const balance = await this.#client.readContract({
        address,
        abi: testFanTokenAbi,
        functionName: "balanceOf",
        args: [DEMO_SHOPPER],
      });
      if (balance > 0n) continue;
      const args = [DEMO_SHOPPER, held * 10n ** BigInt(decimals)] as const;
      calls.push({
        to: address,
        data: encodeFunctionData({ abi: testFanTokenAbi, functionName: "mint", args }),
        what: `${held} ${symbol} given to the demo wallet`,
      });
    }
    return calls;
  }

  /** A deployer other than the operator gives up its hot roles, and offers the admin role as configured. */
  async #renounceCalls(purchaseNft: Address, distributor: Address): Promise<Call[]> {
    const self = this.#account.address;
    const calls: Call[] = [];
    for (const { contract, role, holder } of roleTable(this.#configuration.roles, purchaseNft, distributor)) {
      if (holder === self || !(await this.#hasRole(contract, role, self))) continue;
      calls.push({
        to: contract,
        data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "renounceRole", args: [roleId(role), self] }),
        what: `${role} given up by the deployer`,
      });
    }
    const { admin } = this.#configuration;
    if (!admin) return calls;
    for (const address of [purchaseNft, distributor]) {
      const [current, [pending]] = await Promise.all([
        this.#client.readContract({ address, abi: purchaseNftAbi, functionName: "defaultAdmin" }),
        this.#client.readContract({ address, abi: purchaseNftAbi, functionName: "pendingDefaultAdmin" }),
      ]);
      if (current !== self || current === admin || pending === admin) continue;
      calls.push({
        to: address,
        data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "beginDefaultAdminTransfer", args: [admin] }),
        what: `administration of ${address} offered to ${admin}, who takes it with acceptDefaultAdminTransfer() after ${this.#configuration.adminDelaySeconds} s`,
      });
    }
    return calls;
  }

  #hasRole(address: Address, role: string, holder: Address): Promise<boolean> {
    const args = [roleId(role), holder] as const;
    return this.#client.readContract({ address, abi: purchaseNftAbi, functionName: "hasRole", args });
  }

  /** Sends calls in order without waiting in between, then waits for all. */
  async #sendAll(calls: readonly Call[]): Promise<void> {
    if (calls.length === 0) return;
    let nonce = await this.#client.getTransactionCount({ address: this.#account.address, blockTag: "pending" });
    const sent: { hash: Hash; what: string }[] = [];
    for (const { to, data, value, what } of calls) {
      const rawTransaction = await this.#sign({ to, data, value, nonce: nonce++ });
      await this.#hand(rawTransaction);
      sent.push({ hash: keccak256(rawTransaction), what });
    }
    for (const { hash, what } of sent) {
      await this.#succeeded(hash, what);
      this.#report(what);
    }
  }

  async #sign(call: { to?: Address; data?: Hex; value?: bigint; nonce: number }): Promise<Hex> {
    const { chain } = this.#client;
    const request = await this.#client.prepareTransactionRequest({ account: this.#account, chain, ...call });
    return await this.#account.signTransaction(request as TransactionSerializable);
  }

  /**
   * Sends signed bytes to the node. The response may be lost, and a repetition is refused ("already known", "nonce too
   * low"), so what counts is whether the node has the transaction.
   */
  async #hand(rawTransaction: Hex): Promise<void> {
    try {
      await this.#client.sendRawTransaction({ serializedTransaction: rawTransaction });
    } catch (error) {
      const known = await this.#client.getTransaction({ hash: keccak256(rawTransaction) }).catch(() => undefined);
      if (!known) throw error;
    }
  }

  /**
   * Waits for the pending transactions of an interrupted run, so that none is sent twice: what is missing is read from the
   * chain, which does not show them yet.
   */
  async #settled(): Promise<void> {
    const { address } = this.#account;
    const deadline = Date.now() + SETTLE_TIMEOUT_MS;
    for (let isFirst = true; ; isFirst = false) {
      const [mined, sent] = await Promise.all([
        this.#client.getTransactionCount({ address }),
        this.#client.getTransactionCount({ address, blockTag: "pending" }),
      ]);
      if (mined >= sent) return;
      if (isFirst) this.#report(`${sent - mined} transactions of the deployer are on their way; waiting for them`);
      if (Date.now() > deadline) {
        throw new Error(
          `${sent - mined} transactions of ${address} are not mined after ${SETTLE_TIMEOUT_MS / 1_000} s, the first with nonce ${mined}; replace it or wait, then run this again`,
        );
      }
      await delay(this.#client.pollingInterval);
    }
  }

  async #succeeded(hash: Hash, what: string): Promise<void> {
    const receipt = await this.#client.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`The transaction ${hash} failed: ${what}`);
  }

  async #blockOf(hash: Hash): Promise<bigint> {
    return (await this.#client.getTransactionReceipt({ hash })).blockNumber;
  }

  async #fillOperator(): Promise<void> {
    const { address } = this.#account;
    if ((await this.#client.getBalance({ address })) >= LOCAL_OPERATOR_WEI / 2n) return;
    // Supported by anvil and by Hardhat's node; no public node has it.
    await this.#client.request({
      method: "hardhat_setBalance",
      params: [address, toHex(LOCAL_OPERATOR_WEI)],
    } as unknown as Parameters<PublicClient["request"]>[0]);
  }
}

type Call = { to: Address; data?: Hex; value?: bigint; what: string };

/** The constructor arguments of CashbackDistributor, as in the record. */
export function distributorArguments(
  { adminDelaySeconds, limits }: DeployConfiguration,
  admin: Address,
  purchaseNft: Address,
): Deployment["cashbackDistributor"]["constructorArguments"] {
  const { maxWeiPerCent, maxPayout, dailyCap } = limits;
  const texts = { maxWeiPerCent: `${maxWeiPerCent}`, maxPayout: `${maxPayout}`, dailyCap: `${dailyCap}` };
  return [admin, adminDelaySeconds, purchaseNft, texts, zeroAddress];
}

const ROLES = [
  { isOfNft: true, role: "MINTER_ROLE", holder: "minter" },
  { isOfNft: true, role: "CONFIRMER_ROLE", holder: "confirmer" },
  { isOfNft: true, role: "CATALOGUE_ROLE", holder: "catalogue" },
  { isOfNft: true, role: "PAUSER_ROLE", holder: "pauser" },
  { isOfNft: false, role: "PAYER_ROLE", holder: "payer" },
  { isOfNft: false, role: "TREASURER_ROLE", holder: "treasurer" },
  { isOfNft: false, role: "PAUSER_ROLE", holder: "pauser" },
] as const;

/** Every role of both contracts, and its holder. */
export function roleTable(roles: RoleHolders, purchaseNft: Address, distributor: Address) {
  return ROLES.map(({ isOfNft, role, holder }) => ({
    contract: isOfNft ? purchaseNft : distributor,
    role,
    holder: roles[holder],
  }));
}

/** The id of a role, by its name. */
export function roleId(role: string): Hash {
  return keccak256(toHex(role));
}

/** The name of a role, by its id; the id itself if it is unknown. */
export function roleName(id: Hex): string {
  return ROLES.find(({ role }) => roleId(role) === id)?.role ?? id;
}

/** The creation code of PurchaseNFT with its arguments. */
export function purchaseNftCreation(args: Deployment["purchaseNft"]["constructorArguments"]): Hex {
  return encodeDeployData({ abi: purchaseNftAbi, bytecode: purchaseNftBytecode, args });
}

/** The creation code of CashbackDistributor with its arguments. */
export function distributorCreation(args: Deployment["cashbackDistributor"]["constructorArguments"]): Hex {
  const [admin, adminDelaySeconds, purchaseNft, limits, predecessor] = args;
  const bounds = {
    maxWeiPerCent: BigInt(limits.maxWeiPerCent),
    maxPayout: BigInt(limits.maxPayout),
    dailyCap: BigInt(limits.dailyCap),
  };
  return encodeDeployData({
    abi: cashbackDistributorAbi,
    bytecode: cashbackDistributorBytecode,
    args: [admin, adminDelaySeconds, purchaseNft, bounds, predecessor],
  });
}

/** The code that a creation would deploy, with immutables: the node runs it without a transaction. */
export async function runtimeCode(client: PublicClient, creation: Hex): Promise<Hex | undefined> {
  return (await client.call({ data: creation })).data;
}

function journalPath({ network }: DeployConfiguration): string {
  return join(dirname(deploymentPath(network)), `.${network}.journal.json`);
}
