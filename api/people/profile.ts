import { LRUCache } from "lru-cache";
import { type FanTokenRow, listFanTokens } from "../../core/catalogue/fan-tokens.ts";
import { findWaiting } from "../../core/database/proposals.ts";
import { readingFrom } from "../../core/database/replica.ts";
import { listDebts } from "../../core/purchases/debt.ts";
import { listPurchases, listTickets } from "../../core/purchases/queries.ts";
import { type BuyerTotals, readBuyerTotals } from "../../core/purchases/shop-totals.ts";
import { type HeldSale, readStatement, type Statement } from "../../core/purchases/statement.ts";
import { purchaseViewOf, toPurchaseRecords, toTicket } from "../../core/purchases/view.ts";
import { type HeldToken, type Me, meResponseSchema } from "../../core/rules/api/people.ts";
import type { Debt, Review, Totals, Statement as WireStatement } from "../../core/rules/api/purchases.ts";
import { cashbackOfCentBps } from "../../core/rules/cashback.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei, chzTextFromWei, formatDecimal, reaisText } from "../../core/rules/money.ts";
import { PROFILE_LIMIT } from "../../core/rules/product.ts";
import { type Balances, readCreditOf, shownBalances } from "../chain/balances.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";
import type { Visitor } from "./sessions.ts";

/** Balances and rates change without our events: an older response is rebuilt. */
const FRESH_MS = 3_000;
/** Up to this age, the cached response is served while it is rebuilt. */
const USABLE_MS = 10_000;
const MAXIMUM_CHARACTERS = 64_000_000;
const DEBTS_SHOWN = 50;

type Profile = {
  text: string;
  /** The indexed block from which the response changes although no row of the buyer does. */
  changesAt: bigint | undefined;
};

/**
 * Serialized responses of `GET /api/me`. A response is reused only while neither the wallet's rows nor its totals in the
 * index changed, which the session query reports; so it is correct across processes. A new block alone does not discard
 * it: all buyers' pages would be built again at the same moment.
 */
export class ProfileCache {
  readonly #answers = new LRUCache<string, Profile, () => Promise<Profile>>({
    ttl: FRESH_MS,
    maxSize: MAXIMUM_CHARACTERS,
    sizeCalculation: ({ text }) => text.length,
    // The revision is the primary's, and other sessions of the wallet get this answer, too.
    fetchMethod: (_key, _stale, { context: build }) => readingFrom(undefined, build),
  });

  async read({ wallet, revision, indexed }: Visitor, build: () => Promise<Profile>): Promise<string> {
    const key = `${wallet}:${revision}`;
    const allowStale = this.#answers.getRemainingTTL(key) > FRESH_MS - USABLE_MS;
    // Random, so that responses built at the same time expire at different times.
    const ttl = FRESH_MS * (1 - Math.random() / 2);
    const known = await this.#answers.forceFetch(key, { context: build, ttl, allowStale });
    const isOver = known.changesAt !== undefined && indexed !== undefined && indexed.block >= known.changesAt;
    if (!isOver) return known.text;
    return (await this.#answers.forceFetch(key, { context: build, ttl, forceRefresh: true })).text;
  }
}

export function profileRoute(services: Services): Route {
  const profiles = new ProfileCache();
  return route.get("/api/me", {
    access: "user",
    cost: { thread: 0.5, node: 5, stored: 0, mail: 0 },
    summary: "The signed-in user's profile, holdings, tickets and totals",
    responses: { 200: meResponseSchema },
    async handle({ identity, origin, giveBack }) {
      const visitor = visitorOf(identity);
      let isBuilt = false;
      const text = await profiles.read(visitor, async () => {
        isBuilt = true;
        const { me, changesAt } = await buildProfile(services, visitor, origin);
        return { text: JSON.stringify({ success: true, data: me }), changesAt };
      });
      if (!isBuilt) giveBack(["node"]);
      return { text, type: "application/json; charset=utf-8" };
    },
  });
}

/**
 * The response of `GET /api/me`: profile, balances, totals, and the newest tickets and purchases. `changesAt` is the
 * next indexed block at which a payout of this buyer becomes final, which changes the response. `asker`: where the call
 * comes from.
 */
async function buildProfile(
  services: Services,
  visitor: Visitor,
  asker: string,
): Promise<{ me: Me; changesAt: bigint | undefined }> {
  const { kysely, reader } = services.database;
  const { wallet } = visitor;
  const readBalances = async () => {
    const fanTokens = await listFanTokens(kysely);
    const version = `${visitor.indexed?.hash}:${visitor.revision}`;
    return { fanTokens, balances: await shownBalances(services, wallet, { version, asker }, fanTokens) };
  };
  const view = purchaseViewOf(services, visitor.indexed?.block);
  const readTotals = async () => {
    const totals = await readBuyerTotals(kysely, wallet);
    const readCredit = () => readCreditOf(services, wallet);
    return { totals, statement: await readStatement(kysely, wallet, { totals, view, readCredit }) };
  };
  const [{ fanTokens, balances }, { totals, statement }, purchases, tickets, debts, erasure] = await Promise.all([
    readBalances(),
    readTotals(),
    listPurchases(kysely, wallet, { limit: PROFILE_LIMIT }),
    listTickets(kysely, wallet, { limit: PROFILE_LIMIT }),
    listDebts(kysely, wallet, DEBTS_SHOWN),
    findWaiting(kysely, "erase", wallet),
  ]);
  const endsAt = erasure?.takes_effect_at ?? null;
  const me = {
    wallet: visitor.wallet,
    email: visitor.email,
    first_name: visitor.firstName,
    last_name: visitor.lastName,
    nativeBalance: balances ? chzTextFromWei(balances.nativeWei) : null,
    ...(balances ? {} : { balance_reason: "CHAIN_UNAVAILABLE" as const }),
    tokens: fanTokens.map((token) => toHeldToken(token, balances)),
    nfts: tickets.map((ticket) => toTicket(services.contracts, ticket)),
    purchases: await toPurchaseRecords(
      { paces: services.paces, queries: reader },
      purchases,
      view,
      async () => statement.credit,
    ),
    totals: toTotals(totals, { rate: view.rate, notShown: statement.unshown.gwei }),
    statement: toWireStatement(statement),
    reviews: statement.inReview.map(toWireReview),
    // When the profile will be erased, and whether its owner asked for it. docs/product.md#erase
    erasure: endsAt === null ? null : { takes_effect_at: isoTime(endsAt), is_own: erasure?.is_own === 1n },
    debts: debts.map(toWireDebt),
  };
  const { firstBlock } = statement.unshown;
  return {
    me,
    changesAt: firstBlock === null ? undefined : firstBlock + BigInt(services.environment.CONFIRMATIONS) - 1n,
  };
}

function toHeldToken(
  { symbol, contract }: Pick<FanTokenRow, "symbol" | "contract">,
  balances: Balances | undefined,
): HeldToken {
  if (!balances?.tokens) return { symbol, balance: null, decimals: 0, contract: contract ?? "" };
  const { units, decimals } = (contract && balances.tokens.get(contract)) || { units: 0n, decimals: 0 };
  return { symbol, balance: formatDecimal(units, decimals), decimals, contract: contract ?? "" };
}

/**
 * A buyer's totals as the API returns them. `rate` (wei per cent) applies to cashback without a frozen rate; `notShown`
 * is the gwei of payouts that are not final. docs/product.md#cashback-totals
 */
function toTotals(totals: BuyerTotals, { rate, notShown }: { rate: bigint; notShown: bigint }): Totals {
  const confirmed = totals.confirmed_gwei + cashbackOfCentBps(totals.confirmed_cent_bps, rate);
  const pending = totals.pending_gwei + cashbackOfCentBps(totals.pending_cent_bps, rate);
  const pendingCount = totals.pending + totals.processing;
  return {
    total: chzTextFromGwei(confirmed + pending),
    confirmed: chzTextFromGwei(confirmed),
    pending: chzTextFromGwei(pending),
    paid: chzTextFromGwei(totals.paid_gwei - notShown),
    count: Number(totals.confirmed + pendingCount),
    confirmed_count: Number(totals.confirmed),
    pending_count: Number(pendingCount),
  };
}

export function toWireStatement(statement: Statement): WireStatement {
  const { nextAt, in_wallet, on_the_way, waiting, to_offset, deducted } = statement;
  return {
    in_wallet: chzTextFromGwei(in_wallet),
    on_the_way: chzTextFromGwei(on_the_way),
    waiting: chzTextFromGwei(waiting),
    to_offset: chzTextFromGwei(to_offset),
    deducted: chzTextFromGwei(deducted),
    total: chzTextFromGwei(in_wallet + on_the_way + waiting + deducted),
    sum: chzTextFromGwei(in_wallet + on_the_way + waiting - to_offset),
    next_at: isoTime(nextAt),
  };
}

function toWireReview(sale: HeldSale): Review {
  return {
    id: Number(sale.id),
    store_id: Number(sale.store_id),
    store: sale.store_name,
    order: sale.order_ref,
    amount: sale.amount_cents === null ? null : reaisText(sale.amount_cents),
    cashback_amount: chzTextFromGwei(sale.gwei),
    at: isoTime(sale.occurred_at ?? sale.created_at),
  };
}

function toWireDebt(debt: Awaited<ReturnType<typeof listDebts>>[number]): Debt {
  const { id, store_name: store, amount_gwei, created_at } = debt;
  return { purchase_id: Number(id), store, amount: chzTextFromGwei(amount_gwei), at: isoTime(created_at) };
}
