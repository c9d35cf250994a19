import { type Answer, PERSON, Shopper } from "../../testing/shopper.ts";
import { documentOf } from "./documented.ts";

type Challenge = { nonce: string; message: string };

/** A client that validates every response against the server's document, and signs challenges. */
export class Caller extends Shopper {
  get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("POST", path, JSON.stringify(body), headers);
  }

  override async send(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await this.raw(method, path, body, headers);
    const documented = await documentOf(this.url);
    const operation = documented.find(method, path);
    const complaint = operation && documented.complaint(operation, answer);
    if (complaint) throw new Error(`${method} ${path}: ${complaint}`);
    return answer;
  }

  async challenge(): Promise<Challenge> {
    return (await this.post("/api/check-user", { address: this.address })).body.challenge;
  }

  /** Signs a challenge: registers a new wallet or logs a known one in. */
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

  /** Signs what only the owner of the wallet may do. */
  async signWish(purpose: "erase" | "email"): Promise<{ nonce: string; signature: string }> {
    const { challenge } = (await this.post("/api/challenge", { purpose })).body;
    return { nonce: challenge.nonce, signature: await this.account.signMessage({ message: challenge.message }) };
  }

  /** Asks for the erasure of the own profile. */
  async askErasure(): Promise<Answer> {
    return this.send("DELETE", "/api/me", JSON.stringify(await this.signWish("erase")));
  }

  async changeMail(email: string): Promise<Answer> {
    return this.send("PUT", "/api/me", JSON.stringify({ ...PERSON, email, ...(await this.signWish("email")) }));
  }

  register(): Promise<void> {
    return this.enter();
  }
}
