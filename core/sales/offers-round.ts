import type { Kysely } from "kysely";
import type { Logger } from "pino";
import { endUnlisted, type OfferStore, saveListed } from "../catalogue/network-offers.ts";
import type { Schema } from "../database/generated/schema.ts";
import { isDatabaseAway, type Queries } from "../database/transaction.ts";
import { LeaseLostError } from "../process/lease.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../rules/iso-time.ts";
import type { AccountKey, SaleRules } from "../rules/sale/rules.ts";
import { plainText } from "../rules/text.ts";
import { messageOf } from "../rules/unknown-error.ts";
import { advertisersOf, listStoresOf } from "./account-stores.ts";
import type { PolledAccount, Session } from "./network.ts";
import type { AnyNetwork } from "./networks.ts";
import type { NetworkOffer } from "./offer-row.ts";
import type { ReadProgress } from "./read-progress.ts";

const PASS = "offers";

/**
 * An account's next round of offers begins after this time, unless it does sooner: a new store need not wait for the next
 * day. The reader looks every minute. docs/product.md#offers-of-networks
 */
export async function hastenOffers(queries: Queries, { network, account }: AccountKey, afterMs: number): Promise<void> {
  const through_at = BigInt(Date.now() - DAY_MS + afterMs);
  await queries
    .updateTable("affiliate_cursors")
    .set({ through_at })
    .where("network", "=", network)
    .where("account", "=", account)
    .where("pass", "=", PASS)
    .where("through_at", ">", through_at)
    .execute();
}

type Options = {
  database: { kysely: Kysely<Schema> };
  network: AnyNetwork;
  account: PolledAccount;
  rules: Pick<SaleRules, "accounts">;
  log: Pick<Logger, "info" | "warn">;
  progress: ReadProgress;
  write: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
};

type Round = { pages: AsyncIterator<NetworkOffer[]>; stores: Map<string, OfferStore>; began: bigint; listed: number };

/**
 * Reads an account's offers once a day, a page at a time between its sales. What fails costs no sale: the round is given
 * up and begun again later. docs/product.md#offers-of-networks
 */
export class OffersRound {
  readonly #options: Options;
  #round: Round | undefined;
  #nextLookAt = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Reads one page if it is time. Returns whether it did. */
  async readPage(session: Session<PolledAccount>): Promise<boolean> {
    if (!this.#options.network.readOffers || performance.now() < this.#nextLookAt) return false;
    try {
      this.#round ??= await this.#begin(session);
      if (!this.#round) {
        this.#nextLookAt = performance.now() + MINUTE_MS;
        return false;
      }
      await this.#step(this.#round);
    } catch (error) {
      this.#round = undefined;
      if (isDatabaseAway(error) || error instanceof LeaseLostError) throw error;
      this.#nextLookAt = performance.now() + HOUR_MS;
      const { network, account } = this.#options.account;
      this.#options.log.warn(
        { network, account, reason: plainText(messageOf(error), 500) },
        "Offers could not be read",
      );
    }
    return true;
  }

  async #begin(session: Session<PolledAccount>): Promise<Round | undefined> {
    const { database, network, progress } = this.#options;
    const last = (await progress.through(PASS)) ?? 0;
    const now = Date.now();
    // A clock that was set back waits for a day at most.
    if (now - last < DAY_MS && last <= now) return undefined;
    const stores = new Map(
      (await listStoresOf(database.kysely, this.#options)).flatMap((store) =>
        advertisersOf(store).map((id) => [id, store] as const),
      ),
    );
    const pages = network.readOffers?.(session, [...stores.keys()]);
    return pages && { pages: pages[Symbol.asyncIterator](), stores, began: BigInt(now), listed: 0 };
  }

  async #step(round: Round): Promise<void> {
    const { account: accountOf, progress, write, log } = this.#options;
    const { network, account } = accountOf;
    const key = { network, account };
    const { done, value } = await round.pages.next();
    const offers: readonly NetworkOffer[] = value ?? [];
    if (!done) {
      round.listed += offers.length;
      const ours = offers.flatMap((offer) => {
        const store = round.stores.get(offer.advertiserId);
        return store ? [{ ...offer, store }] : [];
      });
      return write((queries) => saveListed(queries, key, ours));
    }
    await write(async (queries) => {
      if (round.listed > 0) await endUnlisted(queries, key, round.began);
      await progress.moveTo(queries, PASS, Number(round.began));
    });
    this.#round = undefined;
    log.info({ ...key, offers: round.listed }, "Offers read");
  }
}
