import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Me } from "../../domain/api/people.ts";
import { signInSentence } from "../../domain/sign-in-messages.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { until } from "./until.ts";

type Json = Record<string, unknown>;

/** A buyer with only a key and `fetch`, who signs the fixed sentences. */
export class Shopper {
  readonly address: WalletAddress;
  readonly #account;
  readonly #url: string;
  #token = "";

  constructor(url: string, key = generatePrivateKey()) {
    this.#url = url;
    this.#account = privateKeyToAccount(key);
    this.address = this.#account.address.toLowerCase() as WalletAddress;
  }

  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...(this.#token && { authorization: `Bearer ${this.#token}` }) },
      body: typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Json };
  }

  /** Registers and logs in with the fixed sentences. */
  async signUp(): Promise<void> {
    const registered = await this.call("POST", "/api/register-user-data", {
      address: this.address,
      first_name: "Ana",
      last_name: "Maria Silva",
      email: "ana@example.com",
      signature: await this.#account.signMessage({ message: signInSentence("register", this.address) }),
    });
    if (registered.status !== 200 && registered.status !== 201) throw new Error(JSON.stringify(registered));
    await this.logIn();
  }

  async logIn(): Promise<void> {
    const signature = await this.#account.signMessage({ message: signInSentence("login", this.address) });
    const { body } = await this.call("POST", "/api/login", { address: this.address, signature });
    if (typeof body.token !== "string") throw new Error(JSON.stringify(body));
    this.#token = body.token;
  }

  /** Registers a purchase and returns its id. */
  async buy(storeId: number, amount: number | string, tokenSlug?: string): Promise<number> {
    const request = { user: this.address, store_id: storeId, amount, ...(tokenSlug && { token_slug: tokenSlug }) };
    const { status, body } = await this.call("POST", "/api/register-purchase", request);
    const purchase = body.purchase as { id: number } | undefined;
    if (!purchase) throw new Error(`${status} ${JSON.stringify(body)}`);
    return purchase.id;
  }

  /** In live mode: sets out to a store; answers the click. */
  async visit(storeId: number): Promise<string> {
    const request = { user: this.address, store_id: storeId, amount: 100 };
    const { status, body } = await this.call("POST", "/api/register-purchase", request);
    const click = body.click as { id: string } | undefined;
    if (!click) throw new Error(`${status} ${JSON.stringify(body)}`);
    return click.id;
  }

  async me(): Promise<Me> {
    const { status, body } = await this.call("GET", "/api/me");
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.data as Me;
  }

  /** Waits until every given purchase is Confirmed and paid. */
  async paid(purchaseIds: readonly number[], timeoutMs = 60_000): Promise<Me> {
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
}
