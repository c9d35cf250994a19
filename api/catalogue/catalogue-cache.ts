import type { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import { turnBoosts } from "../../core/catalogue/boosts.ts";
import { findClub, listClubs } from "../../core/catalogue/club-rows.ts";
import { type FanTokenRow, listFanTokens } from "../../core/catalogue/fan-tokens.ts";
import { listRunning, nextTurn } from "../../core/catalogue/offer-list.ts";
import { turnOffers } from "../../core/catalogue/offers.ts";
import { StoreDomains } from "../../core/catalogue/store-domains.ts";
import { listNamed, listOffered, listOfferedSites, readFilters } from "../../core/catalogue/store-list.ts";
import { findStore, isOnOffer, type StoreWithCategories } from "../../core/catalogue/stores.ts";
import { readCatalogueVersion } from "../../core/catalogue/version.ts";
import type { Database } from "../../core/database/connect.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import type { ListPage } from "../../core/database/lists/page.ts";
import { readingFrom } from "../../core/database/replica.ts";
import { mapInTurns } from "../../core/process/in-turns.ts";
import type { Logger } from "../../core/process/log.ts";
import { listFigures, readFigures } from "../../core/purchases/fan-figures.ts";
import type { FanToken, StoreFilters } from "../../core/rules/api/catalogue.ts";
import { lastClosedMonth } from "../../core/rules/fan-figures.ts";
import type { SaleRules } from "../../core/rules/sale/rules.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import type { Cursors } from "../http/cursors.ts";
import { Prepared } from "../http/prepared.ts";
import { listOfOffers, type OffersQuery, offerCursorText, readOffersCursor, toWireOffer } from "./offers.ts";
import { listOfStores, type StoresQuery } from "./stores-cursor.ts";
import { toWireClub, toWirePromise, toWireStaffStore, toWireStore } from "./wire.ts";

/** A page of offers, which stands until the next one begins or ends. */
type OffersPage = { page: Prepared; until: number };

export type Catalogue = {
  version: string;
  fanTokens: Prepared;
  fanTokenRows: FanTokenRow[];
  /** The same for every list of stores. */
  filters?: Promise<StoreFilters>;
  /** Made when it is first asked for. */
  domains?: Promise<StoreDomains>;
  /** By what was asked: those being made, and the latest ones. */
  making: Map<string, Promise<Prepared>>;
  answers: LRUCache<string, Prepared>;
  offers: LRUCache<string, Promise<OffersPage>>;
};

/** With their compressed forms about half as much again. */
const KEPT_BYTES = 32 * 2 ** 20;
const KEPT_OFFER_PAGES = 500;
/** Until when a page of offers stands if none begins or ends. */
const OFFERS_STAND_MS = 3_600_000;

/** How stale a response may be after a write in another process; writes in this process take effect at once. */
const RECHECK_MS = 300;

/** The serialized catalogue, rebuilt when its version in the database changes. */
export class CatalogueCache {
  readonly #queries: Kysely<Schema>;
  readonly #reader: Kysely<Schema>;
  readonly #cursors: Cursors;
  readonly #log: Pick<Logger, "warn">;
  readonly #mode: Pick<SaleRules, "isLive">;
  #catalogue: Promise<Catalogue> | undefined;
  #checkedAt = 0;

  constructor(
    { kysely, reader }: Pick<Database, "kysely" | "reader">,
    { cursors, log, saleRules }: { cursors: Cursors; log: Pick<Logger, "warn">; saleRules: Pick<SaleRules, "isLive"> },
  ) {
    this.#mode = saleRules;
    this.#queries = kysely;
    this.#reader = reader;
    this.#cursors = cursors;
    this.#log = log;
  }

  read(): Promise<Catalogue> {
    const now = Date.now();
    // Also if the clock was set: what boosts pay follows it.
    if (this.#catalogue && Math.abs(now - this.#checkedAt) < RECHECK_MS) return this.#catalogue;
    this.#checkedAt = now;
    this.#turn();
    const catalogue = this.#refresh(this.#catalogue);
    this.#catalogue = catalogue;
    catalogue.catch(() => {
      if (this.#catalogue === catalogue) this.drop();
    });
    return catalogue;
  }

  /** Readers do not wait for it: the percents they see are right without, only the order by percent is not. */
  #turn(): void {
    turnBoosts(this.#queries).catch((error: unknown) => {
      this.#log.warn({ reason: messageOf(error) }, "Boosts could not be turned; tried again with the next reader");
    });
  }

  /** Must be called after a write in this process. */
  drop(): void {
    this.#catalogue = undefined;
  }

  async #refresh(previous: Promise<Catalogue> | undefined): Promise<Catalogue> {
    const version = await readCatalogueVersion(this.#queries);
    const known = await previous;
    if (known?.version === version) return known;
    const fanTokenRows = await listFanTokens(this.#queries);
    const data = fanTokenRows.map(({ id, name, slug, image, symbol, contract }): FanToken => {
      return { id: Number(id), name, slug, image, symbol, contract };
    });
    return {
      version,
      fanTokens: serialize({ success: true, data }),
      fanTokenRows,
      making: new Map(),
      offers: new LRUCache({ max: KEPT_OFFER_PAGES }),
      answers: new LRUCache({ maxSize: KEPT_BYTES, sizeCalculation: ({ bytes }) => bytes.length + 1 }),
    };
  }

  /** A page of stores from a cursor on, serialized. @throws CursorError */
  async stores(
    { ids, ...query }: StoresQuery,
    { after, withDrafts }: { after: string | undefined; withDrafts: boolean },
  ): Promise<Prepared> {
    return this.#answer(JSON.stringify([ids?.map(String), query, after, withDrafts]), async (catalogue) => {
      catalogue.filters ??= readFilters(this.#reader);
      const [filters, { rows, nextBefore, total }] = await Promise.all([
        catalogue.filters,
        ids ? this.#named(ids, withDrafts) : listOffered(this.#reader, { ...query, after }),
      ]);
      return {
        success: true,
        stores: await mapInTurns(rows, (row) => toWireStore(row, this.#mode)),
        next_after: nextBefore === null ? null : this.#cursors.sign(listOfStores(query), nextBefore),
        total,
        filters,
      };
    });
  }

  /** The offers that run, from a cursor on. docs/product.md#offers @throws CursorError */
  async offers({ store_id: storeId, club, after, limit }: OffersQuery): Promise<OffersPage> {
    const { offers } = await this.read();
    const key = JSON.stringify([storeId?.toString(), club, after, limit]);
    const known = offers.get(key);
    if (known && (await known).until > Date.now()) return known;
    const list = listOfOffers(storeId, club);
    const cursor = after === undefined ? undefined : readOffersCursor(this.#cursors, list, after);
    const made = readingFrom(undefined, async () => {
      await turnOffers(this.#queries);
      const now = BigInt(Date.now());
      const next = await nextTurn(this.#queries, now);
      const rows = await listRunning(this.#reader, {
        storeId,
        club,
        ...(cursor && { after: cursor }),
        limit: limit + 1,
        now,
      });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const next_after = last === undefined ? null : this.#cursors.sign(list, offerCursorText(last));
      const page = serialize({ success: true, offers: shown.map(toWireOffer), next_after });
      return { page, until: Math.min(Number(next ?? Infinity), Number(now) + OFFERS_STAND_MS) };
    });
    offers.set(key, made);
    made.catch(() => offers.delete(key));
    return made;
  }

  /** Whose page a link leads to. */
  async domains(): Promise<StoreDomains> {
    const catalogue = await this.read();
    catalogue.domains ??= readingFrom(undefined, () => listOfferedSites(this.#reader)).then(
      (rows) => new StoreDomains(rows),
    );
    catalogue.domains.catch(() => {
      delete catalogue.domains;
    });
    return catalogue.domains;
  }

  /** The domains of all stores, serialized. */
  async storeDomains(): Promise<Prepared> {
    return this.#answer("domains", async () => ({ success: true, stores: (await this.domains()).stores }));
  }

  async clubs(): Promise<Prepared> {
    return this.#answer("clubs", async () => ({
      success: true,
      clubs: (await listClubs(this.#reader)).map(toWireClub),
    }));
  }

  /** The clubs of a closed month by cashback a fan. docs/product.md#fans */
  async clubTable(month: string): Promise<Prepared> {
    return this.#answer(`club table ${month}`, async () => ({
      success: true,
      month,
      clubs: await listFigures(this.#reader, month),
    }));
  }

  /** Undefined if there is no such club. */
  async club(slug: string): Promise<Prepared | undefined> {
    const month = lastClosedMonth(Date.now());
    const text = await this.#answer(`club ${slug} ${month}`, async () => {
      const club = await findClub(this.#reader, slug);
      return club && { success: true, club: toWireClub(club), figures: await readFigures(this.#reader, slug, month) };
    });
    return text === NONE ? undefined : text;
  }

  async #named(ids: readonly bigint[], withDrafts: boolean): Promise<ListPage<StoreWithCategories>> {
    const rows = await listNamed(this.#reader, ids, { withDrafts });
    return { rows, nextBefore: null, total: rows.length };
  }

  async #answer(key: string, make: (catalogue: Catalogue) => Promise<object | undefined>): Promise<Prepared> {
    const catalogue = await this.read();
    const { answers, making } = catalogue;
    const known = answers.get(key) ?? making.get(key);
    if (known) return known;
    // The version is the primary's, and an older answer under it would stay until the next change.
    const made = readingFrom(undefined, () => make(catalogue))
      .then((answer) => (answer === undefined ? NONE : serialize(answer)))
      .finally(() => making.delete(key));
    making.set(key, made);
    made.then(
      (answer) => answers.set(key, answer),
      () => {
        delete catalogue.filters;
      },
    );
    return made;
  }

  /** A store on offer, or for admins also a draft; undefined if there is none. */
  async store(id: bigint, { withDrafts }: { withDrafts: boolean }): Promise<Prepared | undefined> {
    const text = await this.#answer(`${id} ${withDrafts}`, async () => {
      const store = await findStore(this.#queries, id);
      if (!store || !(withDrafts || isOnOffer(store))) return undefined;
      const wire = toWireStore(store, this.#mode);
      const promise = toWirePromise(wire, undefined);
      const answer = { success: true, store: wire, cashbacks: wire.cashbacks, promise };
      return withDrafts ? { ...answer, store: toWireStaffStore(store, this.#mode) } : answer;
    });
    return text === NONE ? undefined : text;
  }
}

const NONE = new Prepared(Buffer.alloc(0));

function serialize(value: unknown): Prepared {
  return new Prepared(Buffer.from(JSON.stringify(value)));
}
