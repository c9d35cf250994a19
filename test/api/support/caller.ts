import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { Me } from "../../../domain/api/people.ts";
import type { PurchaseRecord } from "../../../domain/api/purchases.ts";
import { type SignInPurpose, signInSentence } from "../../../domain/sign-in-messages.ts";
import type { WalletAddress } from "../../../domain/wallet-address.ts";
import { until } from "../../testing/until.ts";
import { documentOf } from "./documented.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests check responses field by field
export type Answer = { status: number; headers: Headers; body: any; text: string };

type Challenge = { nonce: string; message: string };

/** A client with a key and a token that speaks plain HTTP. */
export class Caller {
  readonly address: WalletAddress;
  readonly account: PrivateKeyAccount;
  readonly url: string;
  token: string;

  constructor(url: string, account: PrivateKeyAccount = privateKeyToAccount(generatePrivateKey()), token = "") {
    this.url = url;
    this.account = account;
    this.address = account.address.toLowerCase() as WalletAddress;
    this.token = token;
  }

  get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("POST", path, JSON.stringify(body), headers);
  }

  async send(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.raw(method, path, body, headers);
    await this.#holdAgainstDocument(method, path, answer);
    return answer;
  }

  /** A request whose response is not checked. */
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

  /** In every test, each response must match the server's document. */
  async #holdAgainstDocument(method: string, path: string, answer: Answer): Promise<void> {
    const documented = await documentOf(this.url);
    const operation = documented.find(method, path);
    const complaint = operation && documented.complaint(operation, answer);
    if (complaint) throw new Error(`${method} ${path}: ${complaint}`);
  }

  async challenge(): Promise<Challenge> {
    return (await this.post("/api/check-user", { address: this.address })).body.challenge;
  }

  /** Signs a challenge: registers a new wallet, logs a known one in. */
  async enter(): Promise<void> {
    const { exists, challenge } = (await this.post("/api/check-user", { address: this.address })).body;
    const signature = await this.account.signMessage({ message: challenge.message });
    const proof = { address: this.address, signature, nonce: challenge.nonce };
    const answer = exists
      ? await this.post("/api/login", proof)
      : await this.post("/api/register-user-data", { ...PERSON, ...proof });
    if (answer.status !== 200) throw new Error(answer.text);
    this.token = answer.body.token;
  }

  register(): Promise<void> {
    return this.enter();
  }

  /** The signed fixed sentence. */
  signSentence(purpose: SignInPurpose): Promise<string> {
    return this.account.signMessage({ message: signInSentence(purpose, this.address) });
  }

  async buy(storeId = 1, amount: number | string = 100, tokenSlug?: string): Promise<number> {
    const request = { user: this.address, store_id: storeId, amount, ...(tokenSlug ? { token_slug: tokenSlug } : {}) };
    const answer = await this.post("/api/register-purchase", request);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.purchase.id;
  }

  async me(): Promise<Me> {
    const answer = await this.get("/api/me");
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.data;
  }

  /** Waits until a purchase of this wallet meets a condition. */
  async seen(id: number, isWanted: (purchase: PurchaseRecord) => boolean, timeoutMs = 30_000): Promise<PurchaseRecord> {
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

export const PERSON = { first_name: "Ana", last_name: "Maria Silva", email: "ana@example.com" };
