import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { Me } from "../../core/rules/api/people.ts";
import type { PurchaseRecord } from "../../core/rules/api/purchases.ts";
import { type SignInPurpose, signInSentence } from "../../core/rules/session.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { until } from "./until.ts";

const INDEX_TRIES = 100;
const INDEX_PAUSE_MS = 300;

// biome-ignore lint/suspicious/noExplicitAny: the tests check responses field by field
export type Answer = { status: number; headers: Headers; body: any; text: string };

export const PERSON = { first_name: "Ana", last_name: "Maria Silva", email: "ana@example.com" };

/**
 * The tests' client: a key and a token that speak plain HTTP.
 * @example
 * const shopper = new Shopper(system.url);
 * await shopper.signUp();
 * const me = await shopper.paid([await shopper.buy(1, "123.45")]);
 */
export class Shopper {
  readonly address: WalletAddress;
  readonly account: PrivateKeyAccount;
  readonly url: string;
  token: string;

  constructor(url: string, key: Hex | PrivateKeyAccount = generatePrivateKey(), token = "") {
    this.url = url;
    this.account = typeof key === "string" ? privateKeyToAccount(key) : key;
    this.address = this.account.address.toLowerCase() as WalletAddress;
    this.token = token;
  }

  /** A body that is text is sent unchanged. */
  call(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    return this.send(method, path, text);
  }

  send(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.raw(method, path, body, headers);
  }

  /** Sends a request unchanged. */
  async raw(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("application/json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text ? JSON.parse(text) : undefined,
    };
  }

  /** The signed fixed sentence. */
  signSentence(purpose: SignInPurpose): Promise<string> {
    return this.account.signMessage({ message: signInSentence(purpose, this.address) });
  }

  /** Registers and logs in with the fixed sentences. */
  async signUp(): Promise<void> {
    const registered = await this.call("POST", "/api/register-user-data", {
      ...PERSON,
      address: this.address,
      signature: await this.signSentence("register"),
    });
    if (registered.status !== 200 && registered.status !== 201) throw new Error(JSON.stringify(registered));
    await this.logIn();
  }

  async logIn(): Promise<void> {
    const signature = await this.signSentence("login");
    const { body, text } = await this.call("POST", "/api/login", { address: this.address, signature });
    if (typeof body?.token !== "string") throw new Error(text);
    this.token = body.token;
  }

  /** Registers a purchase and returns its id. */
  async buy(storeId = 1, amount: number | string = 100, tokenSlug?: string): Promise<number> {
    const request = { user: this.address, store_id: storeId, amount, ...(tokenSlug && { token_slug: tokenSlug }) };
    const ask = () => this.call("POST", "/api/register-purchase", request);
    let answer = await ask();
    // A shop that has just started says so, and to try again soon.
    for (let again = 0; answer.body?.code === "INDEX_BEHIND" && again < INDEX_TRIES; again++) {
      await delay(INDEX_PAUSE_MS);
      answer = await ask();
    }
    const { status, body, text } = answer;
    if (!body?.purchase) throw new Error(`${status} ${text}`);
    return body.purchase.id;
  }

  /** In live mode: visits a store; returns the click. */
  async visit(storeId: number): Promise<string> {
    const request = { user: this.address, store_id: storeId, amount: 100 };
    const { status, body, text } = await this.call("POST", "/api/register-purchase", request);
    if (!body?.click) throw new Error(`${status} ${text}`);
    return body.click.id;
  }

  async me(): Promise<Me> {
    const { status, body, text } = await this.call("GET", "/api/me");
    if (status !== 200) throw new Error(`${status} ${text}`);
    return body.data;
  }

  /** Waits until every given purchase is Confirmed and paid. */
  async paid(purchaseIds: readonly number[], timeoutMs = 120_000): Promise<Me> {
    return until(
      `purchases ${purchaseIds.join(", ")} are confirmed and paid`,
      async () => {
        const me = await this.me();
        const isDone = (id: number) =>
          me.purchases.some((one) => one.id === id && one.status === "confirmed" && one.cashback_state === "paid");
        return purchaseIds.every(isDone) && me;
      },
      timeoutMs,
    );
  }

  /** Waits until a purchase of this wallet meets a condition. */
  async seen(
    id: number,
    isWanted: (purchase: PurchaseRecord) => boolean,
    timeoutMs = 120_000,
  ): Promise<PurchaseRecord> {
    return until(
      `purchase ${id} is as wanted`,
      async () => {
        const purchase = (await this.me()).purchases.find((one) => one.id === id);
        return purchase !== undefined && isWanted(purchase) && purchase;
      },
      timeoutMs,
    );
  }
}
