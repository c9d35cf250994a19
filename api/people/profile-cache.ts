import { LRUCache } from "lru-cache";
import { type FanTokenRow, listFanTokens } from "../../core/catalogue/fan-tokens.ts";
import { listDebts } from "../../core/purchases/debt.ts";
import { listPurchases, listTickets } from "../../core/purchases/queries.ts";
import { readStatement } from "../../core/purchases/statement.ts";
import { readBuyerTotals } from "../../core/purchases/totals.ts";
import {
  purchaseViewAt,
  toTicket,
  toTotals,
  toWireDebt,
  toWireReview,
  toWireStatement,
} from "../../core/purchases/view.ts";
import type { HeldToken, Me } from "../../core/rules/api/people.ts";
import { chzTextFromWei, formatDecimal } from "../../core/rules/money.ts";
import { PROFILE_LIMIT } from "../../core/rules/product.ts";
import type { Balances } from "../chain/balances.ts";
import { readCreditOf, unlessAway } from "../chain/unless-away.ts";
import { toPurchaseRecords } from "../purchases/records.ts";
import { type Services, viewOptions } from "../services.ts";
import { readErasure } from "./leaving.ts";
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
    fetchMethod: (_key, _stale, { context: build }) => build(),
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

/**
 * The response of `GET /api/me`: profile, balances, totals, and the newest tickets and purchases. `changesAt` is the
 * next indexed block at which a payout of this buyer becomes final, which changes the response. `asker`: where the call
 * comes from.
 */
export async function buildProfile(
  services: Services,
  visitor: Visitor,
  asker: string,
): Promise<{ me: Me; changesAt: bigint | undefined }> {
  const { kysely } = services.database;
  const { wallet } = visitor;
  const readBalances = async () => {
    const fanTokens = await listFanTokens(kysely);
    const version = `${visitor.indexed?.hash}:${visitor.revision}`;
    const read = services.balances.read(wallet, { version, asker }, fanTokens);
    return { fanTokens, balances: (await unlessAway(services, read))?.shown };
  };
  const view = purchaseViewAt(visitor.indexed?.block, viewOptions(services));
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
    readErasure(kysely, wallet),
  ]);
  const me = {
    wallet: visitor.wallet,
    email: visitor.email,
    first_name: visitor.firstName,
    last_name: visitor.lastName,
    nativeBalance: balances ? chzTextFromWei(balances.nativeWei) : null,
    ...(balances ? {} : { balance_reason: "CHAIN_UNAVAILABLE" as const }),
    tokens: fanTokens.map((token) => toHeldToken(token, balances)),
    nfts: tickets.map((ticket) => toTicket(services.contracts.purchaseNft, ticket)),
    purchases: await toPurchaseRecords(services, purchases, view, async () => statement.credit),
    totals: toTotals(totals, { rate: view.rate, notShown: statement.unshown.gwei }),
    statement: toWireStatement(statement),
    reviews: statement.inReview.map(toWireReview),
    erasure,
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
