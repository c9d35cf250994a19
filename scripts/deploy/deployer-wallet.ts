import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Abi,
  type Address,
  decodeDeployData,
  getContractAddress,
  type Hash,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializable,
  type TransactionSerialized,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { deploymentPath } from "../../core/chain/deployment.ts";
import type { ChainClient } from "../../core/process/rpc/chain-client.ts";
import { openCommandChain } from "../operator/open-chain.ts";
import type { DeployConfiguration } from "./configuration.ts";
import { runtimeCode } from "./creations.ts";
import { DeployError } from "./deploy-error.ts";
import { Journal, type JournalEntry } from "./journal.ts";
import { probeChain } from "./probe-chain.ts";

/** One transaction, and the message for the operator once it succeeded. */
export type Call = { to: Address; data?: Hex; value?: bigint; what: string };

type Created = { address: Address; transaction: Hash; isNew: boolean };

/** What a creation consists of, to name the arguments in which two differ. */
type Constructed = { abi: Abi; bytecode: Hex };

const BASE_FEE_MULTIPLIER = 1.5;
const SETTLE_TIMEOUT_MS = 180_000;

/** The deployer's wallet on the configured chain, which was verified and is recent enough. */
export async function openDeployerWallet(
  configuration: DeployConfiguration,
  report: (line: string) => void,
): Promise<DeployerWallet> {
  const client = await openCommandChain(configuration);
  await probeChain(client, configuration.network);
  return new DeployerWallet(configuration, client, report);
}

/** Signs and sends a deployment's transactions, so that a killed run can resume and sends none of them twice. */
export class DeployerWallet {
  readonly client: ChainClient;
  readonly #configuration: DeployConfiguration;
  readonly #report: (line: string) => void;
  readonly #account: PrivateKeyAccount;
  readonly #journal: Journal;
  /** The calls that this run has sent. */
  readonly called: Hash[] = [];

  constructor(configuration: DeployConfiguration, client: ChainClient, report: (line: string) => void) {
    this.#configuration = configuration;
    this.#report = report;
    this.#account = privateKeyToAccount(configuration.deployerKey);
    this.client = client;
    this.#journal = new Journal(journalPath(configuration));
  }

  get address(): Address {
    return this.#account.address;
  }

  /** Call it once the record is written, which then contains everything that was signed. */
  forget(): void {
    this.#journal.remove();
  }

  /** Where an interrupted run was creating this contract. */
  pending(name: string): Address | undefined {
    return this.#journal.get(name)?.address;
  }

  /**
   * A contract with exactly this code: the recorded one, one signed by an interrupted run, or a new one.
   * @throws DeployError if an interrupted run made another one: a second must not follow by itself
   */
  async create(
    name: string,
    creation: Hex,
    recorded: { address: Address; transaction: Hash } | undefined,
    constructed?: Constructed,
  ): Promise<Created> {
    if (recorded && (await this.#isKept(name, recorded.address, creation))) {
      return { address: recorded.address, transaction: recorded.transaction, isNew: false };
    }
    const signed = this.#journal.get(name);
    if (signed && signed.creationHash !== keccak256(creation))
      await this.#refuseOther(name, signed, creation, constructed);
    else if (signed && (await this.#resume(signed.address, creation, signed))) {
      this.#report(`${name} was pending; it is at ${signed.address}`);
      return { address: signed.address, transaction: signed.transaction, isNew: true };
    }
    const nonce = await this.client.getTransactionCount({ address: this.address, blockTag: "pending" });
    const rawTransaction = await this.#sign({ data: creation, nonce });
    const address = getContractAddress({ from: this.address, nonce: BigInt(nonce) });
    const transaction = keccak256(rawTransaction);
    this.#journal.set(name, { creationHash: keccak256(creation), rawTransaction, transaction, address, nonce });
    await this.#hand(rawTransaction);
    await this.#succeeded(transaction, name);
    this.#report(`${name} deployed to ${address}`);
    return { address, transaction, isNew: true };
  }

  /**
   * Whether a recorded contract is kept. On the local chain one of another version is, because the database refers to
   * it; elsewhere a record that does not match needs a person, and is never a reason to deploy.
   */
  async #isKept(name: string, address: Address, creation: Hex): Promise<boolean> {
    if (await this.#stands(address, creation)) {
      this.#report(`${name} is at ${address}`);
      return true;
    }
    const isLocal = this.#configuration.network === "localhost";
    const isThere = (await this.client.getCode({ address })) !== undefined;
    if (!isLocal) {
      const what = isThere ? "other code than this version makes" : "no code";
      throw new DeployError(
        `${name} is recorded at ${address}, where there is ${what}; move the record away to deploy again`,
      );
    }
    if (isThere) this.#report(`${name} of another version is at ${address}; remove the data folder to start over`);
    return isThere;
  }

  /** Whether the code at an address equals what this creation would deploy there, immutables included. */
  async #stands(address: Address, creation: Hex): Promise<boolean> {
    const code = await this.client.getCode({ address });
    return code !== undefined && code === (await runtimeCode(this.client, creation));
  }

  async #resume(
    address: Address,
    creation: Hex,
    { rawTransaction, transaction, nonce }: { rawTransaction: Hex; transaction: Hash; nonce: number },
  ) {
    if (await this.#stands(address, creation)) return true;
    if ((await this.client.getTransactionCount({ address: this.address })) > nonce) return false;
    await this.#hand(rawTransaction);
    await this.#succeeded(transaction, "the creation of the interrupted run");
    return true;
  }

  /** What an interrupted run signed is on the chain, or may still come, with other arguments than these. */
  async #refuseOther(name: string, signed: JournalEntry, creation: Hex, constructed?: Constructed): Promise<void> {
    const { address, nonce } = signed;
    const serializedTransaction = signed.rawTransaction as TransactionSerialized;
    const from = await recoverTransactionAddress({ serializedTransaction });
    const isThere = (await this.client.getCode({ address })) !== undefined;
    if (!isThere && (await this.client.getTransactionCount({ address: from })) > nonce) return;
    const { data: before = "0x" } = parseTransaction(serializedTransaction);
    const what = `an interrupted run created ${name} at ${address}, ${differenceOf(before, creation, constructed)}`;
    if (this.#configuration.network === "localhost") return this.#report(`${what}; it is left unused`);
    throw new DeployError(
      `A second ${name} is not created: ${what}. Set everything as it was and run this again, then let the admin change it; or move ${journalPath(this.#configuration)} away, and what that run created stays unused for ever`,
    );
  }

  /** Sends calls in order without waiting in between, then waits for all. */
  async sendAll(calls: readonly Call[]): Promise<void> {
    if (calls.length === 0) return;
    let nonce = await this.client.getTransactionCount({ address: this.address, blockTag: "pending" });
    const sent: { hash: Hash; what: string }[] = [];
    for (const { to, data, value, what } of calls) {
      const rawTransaction = await this.#sign({ to, data, value, nonce: nonce++ });
      await this.#hand(rawTransaction);
      sent.push({ hash: keccak256(rawTransaction), what });
      this.called.push(keccak256(rawTransaction));
    }
    for (const { hash, what } of sent) {
      await this.#succeeded(hash, what);
      this.#report(what);
    }
  }

  async #sign(call: { to?: Address; data?: Hex; value?: bigint; nonce: number }): Promise<Hex> {
    // Contracts of this size raise the base fee by an eighth a block, and a node can be two blocks behind.
    const chain = this.client.chain && { ...this.client.chain, fees: { baseFeeMultiplier: BASE_FEE_MULTIPLIER } };
    const request = await this.client.prepareTransactionRequest({ account: this.#account, chain, ...call });
    // viem types the prepared request as a union of all transactions, which its own accounts do not accept.
    return await this.#account.signTransaction(request as TransactionSerializable);
  }

  /**
   * Sends signed bytes to the node. The response may be lost, and a repetition is rejected ("already known", "nonce too
   * low"), so it checks whether the node has the transaction.
   */
  async #hand(rawTransaction: Hex): Promise<void> {
    try {
      await this.client.sendRawTransaction({ serializedTransaction: rawTransaction });
    } catch (error) {
      const known = await this.client.getTransaction({ hash: keccak256(rawTransaction) }).catch(() => undefined);
      if (!known) throw error;
    }
  }

  /**
   * Waits for the pending transactions of an interrupted run, so that none is sent twice: missing steps are read from
   * the chain, which does not include pending ones.
   */
  async settled(): Promise<void> {
    const { address } = this;
    const deadline = Date.now() + SETTLE_TIMEOUT_MS;
    for (let isFirst = true; ; isFirst = false) {
      const [mined, sent] = await Promise.all([
        this.client.getTransactionCount({ address }),
        this.client.getTransactionCount({ address, blockTag: "pending" }),
      ]);
      if (mined >= sent) return;
      if (isFirst) this.#report(`${sent - mined} transactions of the deployer are pending; waiting for them`);
      if (Date.now() > deadline) {
        throw new DeployError(
          `${sent - mined} transactions of ${address} are not mined after ${SETTLE_TIMEOUT_MS / 1_000} s, the first with nonce ${mined}; replace it or wait, then run this again`,
        );
      }
      await delay(this.client.pollingInterval);
    }
  }

  async #succeeded(hash: Hash, what: string): Promise<void> {
    const receipt = await this.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new DeployError(`The transaction ${hash} failed: ${what}`);
  }

  async blockOf(hash: Hash): Promise<number> {
    return Number((await this.client.getTransactionReceipt({ hash })).blockNumber);
  }
}

/** Which constructor arguments differ between two creations of the same code. */
function differenceOf(before: Hex, now: Hex, { abi, bytecode }: Partial<Constructed> = {}): string {
  if (!abi || !bytecode || !before.startsWith(bytecode)) return "from other code than this version's";
  const argumentsOf = (data: Hex) => (decodeDeployData({ abi, bytecode, data }).args ?? []).map(textOf);
  const [old, wanted] = [argumentsOf(before), argumentsOf(now)];
  const names = abi.find((item) => item.type === "constructor")?.inputs ?? [];
  const differences = names.flatMap(({ name }, index) =>
    old[index] === wanted[index] ? [] : [`${name} was ${old[index]} and is ${wanted[index]} now`],
  );
  return `with other arguments: ${differences.join(", ")}`;
}

function textOf(value: unknown): string {
  return typeof value === "object" && value !== null
    ? `(${Object.entries(value)
        .map(([name, part]) => `${name} ${part}`)
        .join(", ")})`
    : String(value);
}

function journalPath({ network }: DeployConfiguration): string {
  return join(dirname(deploymentPath(network)), `.${network}.journal.json`);
}
