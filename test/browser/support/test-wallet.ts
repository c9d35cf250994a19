import type { BrowserContext } from "playwright-core";
import { type Hex, hexToString } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { CHAIN_IDS } from "../../../core/rules/networks.ts";
import { installWalletShim } from "./wallet-shim.ts";

type Failure = { code: number; message?: string; data?: unknown };
type Request = { method: string; params?: unknown };

export type TestWalletOptions = {
  keys?: Hex[];
  chainId?: number;
  /** Chains of the wallet; a switch to another fails with 4902. */
  knownChains?: number[];
  /** `eip6963` announces, `legacy` only sets `window.ethereum`, `none` is a browser without a wallet. */
  presence?: "eip6963" | "legacy" | "none";
  /** Names of the wallets that announce themselves. */
  names?: string[];
  rpcUrl?: string;
  /** Adds a chain and stays on its own, as some wallets do. */
  addsAlone?: boolean;
  /** What it says instead of 4902, like wallets with words of their own. */
  unknownChain?: Failure;
  /** The page has started this long before it is there. */
  comesAfterMs?: number;
  /** It answers a switch at once with this, and goes there, telling of it, so much later. */
  switchesLate?: { afterMs: number; error?: Failure };
};

/** A wallet with keys in Node, controlled by the test. */
export class TestWallet {
  readonly accounts;
  /** The current first account. */
  active = 0;
  chainId: number;
  knownChains: Set<number>;
  isPermitted = false;
  /** Methods requested so far, and signed messages. */
  readonly asked: string[] = [];
  readonly signed: string[] = [];
  readonly added: unknown[] = [];
  /** Signs with this account instead, like a faulty wallet. */
  signWithIndex: number | undefined;
  readonly #failures = new Map<string, Failure[]>();
  readonly #delays = new Map<string, number>();
  readonly #held = new Map<string, Promise<void>>();
  readonly #options: TestWalletOptions;
  #context: BrowserContext | undefined;

  constructor(options: TestWalletOptions) {
    this.#options = options;
    this.accounts = (options.keys ?? [generatePrivateKey(), generatePrivateKey()]).map((key) =>
      privateKeyToAccount(key),
    );
    this.chainId = options.chainId ?? CHAIN_IDS.spicy;
    this.knownChains = new Set(options.knownChains ?? [1, CHAIN_IDS.spicy, this.chainId]);
  }

  /** Lower case. */
  get address(): string {
    return (this.accounts[this.active]?.address ?? "").toLowerCase();
  }

  /** Makes the next call of a method fail. */
  failNext(method: string, failure: Failure): void {
    this.#failures.set(method, [...(this.#failures.get(method) ?? []), failure]);
  }

  rejectNext(method: string): void {
    this.failNext(method, { code: 4001, message: "User rejected the request." });
  }

  /** Delays each response of a method. */
  delay(method: string, milliseconds: number): void {
    this.#delays.set(method, milliseconds);
  }

  /** The next call of a method is answered when the returned function is called. */
  holdNext(method: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(method, promise);
    return resolve;
  }

  async install(context: BrowserContext): Promise<void> {
    this.#context = context;
    const { presence = "eip6963", names = ["Test Wallet"] } = this.#options;
    if (presence === "none") return;
    await context.exposeFunction("torcidaTestWallet", (_wallet: number, request: Request) => this.#answer(request));
    const announce = names.map((name, index) => ({ name, rdns: `test.wallet.number${index}` }));
    await context.addInitScript(installWalletShim, {
      ...{ announce, legacy: presence === "legacy", afterMs: this.#options.comesAfterMs ?? 0 },
    });
  }

  /** The user picks another account in the wallet. */
  async changeAccount(index: number): Promise<void> {
    this.active = index;
    await this.emit("accountsChanged", [this.address]);
  }

  /** The user locks the wallet. */
  async lock(): Promise<void> {
    this.isPermitted = false;
    await this.emit("accountsChanged", []);
  }

  /** The user picks another chain in the wallet. */
  async changeChain(chainId: number): Promise<void> {
    this.chainId = chainId;
    await this.emit("chainChanged", `0x${chainId.toString(16)}`);
  }

  async emit(event: string, value: unknown): Promise<void> {
    for (const page of this.#context?.pages() ?? []) {
      await page.evaluate(({ event, value }) => window.emitFromWallet?.(event, value), { event, value });
    }
  }

  async #answer(request: Request): Promise<{ result?: unknown; error?: Failure & { message: string } }> {
    this.asked.push(request.method);
    const delay = this.#delays.get(request.method);
    if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
    const held = this.#held.get(request.method);
    this.#held.delete(request.method);
    await held;
    const failure = this.#failures.get(request.method)?.shift();
    if (failure) return { error: { message: "The wallet refused.", ...failure } };
    try {
      return { result: await this.#perform(request) };
    } catch (error) {
      const { code = -32603, message, data } = error as Failure & { message: string };
      return { error: { code, message, data } };
    }
  }

  async #perform({ method, params }: Request): Promise<unknown> {
    const values = (params ?? []) as unknown[];
    switch (method) {
      case "wallet_requestPermissions":
        this.isPermitted = true;
        return [
          { parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value: [this.address] }] },
        ];
      case "wallet_revokePermissions":
        this.isPermitted = false;
        return null;
      case "eth_requestAccounts":
        this.isPermitted = true;
        return [this.address];
      case "eth_accounts":
        return this.isPermitted ? [this.address] : [];
      case "eth_chainId":
        return `0x${this.chainId.toString(16)}`;
      case "wallet_switchEthereumChain":
        return this.#switch(Number((values[0] as { chainId: string }).chainId));
      case "wallet_addEthereumChain":
        this.added.push(values[0]);
        this.knownChains.add(Number((values[0] as { chainId: string }).chainId));
        return this.#options.addsAlone ? null : this.#switch(Number((values[0] as { chainId: string }).chainId));
      case "personal_sign":
        return this.#sign(values[0] as Hex);
      case "eth_getCode":
        return "0x";
      default:
        return this.#forward(method, values);
    }
  }

  async #switch(chainId: number): Promise<null> {
    const { unknownChain = { code: 4902 }, switchesLate } = this.#options;
    if (!this.knownChains.has(chainId)) throw Object.assign(new Error("Unrecognized chain ID."), unknownChain);
    if (switchesLate && this.chainId !== chainId) {
      setTimeout(() => this.changeChain(chainId), switchesLate.afterMs);
      if (switchesLate.error) throw Object.assign(new Error("Timed out."), switchesLate.error);
      return null;
    }
    if (this.chainId !== chainId) await this.changeChain(chainId);
    return null;
  }

  async #sign(data: Hex): Promise<Hex> {
    this.signed.push(hexToString(data));
    const account = this.accounts[this.signWithIndex ?? this.active];
    if (!account) throw new Error("no such account");
    return account.signMessage({ message: { raw: data } });
  }

  async #forward(method: string, params: unknown[]): Promise<unknown> {
    if (!this.#options.rpcUrl) throw Object.assign(new Error(`${method} is not served`), { code: 4200 });
    const response = await fetch(this.#options.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const answer = (await response.json()) as { result?: unknown; error?: Failure & { message: string } };
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  }
}

export const testWallet = (options: TestWalletOptions = {}): TestWallet => new TestWallet(options);
