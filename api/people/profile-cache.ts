import type { Visitor } from "../../database/sessions.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

type Entry = { version: string; madeAt: number; text: Promise<string> };

const MAXIMUM_WALLETS = 2_000;
/** Balances move without an event of ours. */
const MAXIMUM_AGE_MS = 3_000;

/**
 * Serialized answers of `GET /api/me`. An answer is used again only while neither the index nor the wallet's own rows
 * moved, which the session's own query tells; so it is right in every process.
 */
export class ProfileCache {
  readonly #entries = new Map<WalletAddress, Entry>();

  async read(visitor: Visitor, build: () => Promise<string>): Promise<string> {
    const version = `${visitor.indexedHash}:${visitor.revision}`;
    const known = this.#entries.get(visitor.wallet);
    if (known && known.version === version && Date.now() - known.madeAt < MAXIMUM_AGE_MS) return known.text;
    const text = build();
    this.#entries.delete(visitor.wallet);
    this.#entries.set(visitor.wallet, { version, madeAt: Date.now(), text });
    if (this.#entries.size > MAXIMUM_WALLETS) {
      const [oldest] = this.#entries.keys();
      if (oldest) this.#entries.delete(oldest);
    }
    text.catch(() => this.#entries.delete(visitor.wallet));
    return text;
  }
}
