import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { type FanTokenRow, findFanTokenBySlug } from "../../core/catalogue/fan-tokens.ts";
import { lacksOf, readStores, type StoreWithCategories } from "../../core/catalogue/stores.ts";
import { BatchLoader, GroupCommit } from "../../core/database/batching.ts";
import { indexedBlock } from "../../core/database/chain-cursor.ts";
import { inTransaction, isUniqueViolation, type Queries } from "../../core/database/transaction.ts";
import { type Agreed, NoAgreementError } from "../../core/process/rpc/every-node.ts";
import { traceparentNow } from "../../core/process/tracing.ts";
import { registerSimulated } from "../../core/purchases/decide-sales.ts";
import type { InsertedPurchase } from "../../core/purchases/purchase-rows.ts";
import { admitSimulated, SimulatedLimitError, type SimulatedLimits } from "../../core/purchases/simulated-limits.ts";
import {
  type RegisteredPurchase,
  type registerPurchaseRequestSchema,
  registerPurchaseResponseSchema,
} from "../../core/rules/api/purchases.ts";
import {
  type BonusParameters,
  type BonusProgram,
  bonus,
  cappedBonus,
  type TokenBalance,
} from "../../core/rules/bonus.ts";
import type { BonusRead } from "../../core/rules/bonus-read.ts";
import { boosted } from "../../core/rules/boost.ts";
import { BIG_DAY_MS, isoTime } from "../../core/rules/iso-time.ts";
import { percentText, reaisText } from "../../core/rules/money.ts";
import { payableOf } from "../../core/rules/promise.ts";
import type { SimulatedPurchase } from "../../core/rules/sale/simulated.ts";
import { CLICK_WINDOW_DAYS, freezeTerms } from "../../core/rules/sale/value.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { linkOf } from "../../core/sales/accounts.ts";
import { type Click, insertClicks } from "../../core/sales/clicks.ts";
import { ApiError } from "../http/api-error.ts";
import type { Services } from "../services.ts";
import { findStoredAnswer, insertStoredAnswer, type KeyedRequest } from "./idempotency-keys.ts";

/** Bounded by the percents: what fits on top of them. */
const MOST_BONUS_BPS = 10_000n;
const NAME_LOOK_MS = 200;
const NAME_LOOKS = 20;

type PurchaseRequest = z.output<typeof registerPurchaseRequestSchema> & {
  /** The shop's page to which a click leads. */
  page?: string;
};

/** Shared by concurrent registrations: the query for their stores, and the transaction that stores them. */
export type Registrations = ReturnType<typeof openRegistrations>;

export function openRegistrations({ database: { kysely }, environment, saleRules: rules }: Services) {
  const terms = { rules, mintDelayMs: BigInt(environment.SIMULATED_STEP_DELAY_MS) };
  const limits = limitsOf(environment);
  /** One that passes a limit gets its refusal, and the others of its transaction go on. */
  const write = async (queries: Queries, purchases: readonly SimulatedPurchase[]) => {
    if (!limits) return registerSimulated(queries, purchases, terms);
    const refusals = await admitSimulated(queries, purchases, limits);
    const admitted = purchases.filter((_, index) => refusals[index] === undefined);
    const inserted = (admitted.length > 0 ? await registerSimulated(queries, admitted, terms) : []).values();
    return refusals.map((refusal) => refusal ?? inserted.next().value);
  };
  return {
    stores: new BatchLoader(async (ids: readonly bigint[]) => {
      const stores = await readStores(kysely, ids);
      return new Map(stores.map((store) => [store.id, store]));
    }),
    purchases: new GroupCommit(kysely, write),
    /** Adds one purchase; `store` writes further rows in the same transaction. */
    addWith: (purchase: SimulatedPurchase, store: (queries: Queries, inserted: InsertedPurchase) => Promise<void>) =>
      inTransaction(kysely, async (queries) => {
        const inserted = requireInserted((await write(queries, [purchase]))[0]);
        await store(queries, inserted);
        return inserted;
      }),
    clicks: new GroupCommit(kysely, insertClicks),
  };
}

/**
 * Freezes the terms of a purchase, in simulated mode, or of a click to the store, in live mode.
 * docs/product.md#purchase-terms
 * @throws ApiError 404 or 409 if the store cannot sell, 503 while the index is behind
 */
export async function registerPurchase(
  services: Services,
  registrations: Registrations,
  { wallet, asker }: { wallet: WalletAddress; asker: string },
  body: PurchaseRequest,
  keyed?: KeyedRequest,
): Promise<RegisteredPurchase> {
  const repeat = keyed && (await repeatedAnswer(services, keyed));
  if (repeat) return repeat;
  if (!(await services.ids.isOpen(services.database.kysely))) {
    const message = "The index is not complete yet, so no purchase id can be assigned; try again soon";
    throw new ApiError(503, "INDEX_BEHIND", message, { headers: { "retry-after": "2" } });
  }
  const { store, cashbackBps, at } = await requireSellingStore(services, registrations, body.store_id);
  const tokenSlug = body.token_slug ?? null;
  const terms = { ...(await readBonus(services, { wallet, store, tokenSlug, asker })), tokenSlug, clickedAt: at };
  if (!services.environment.SIMULATED_PURCHASES)
    return registerClick(services, registrations, wallet, store, { ...terms, keyed, page: body.page });
  const wanted: SimulatedPurchase = {
    wallet,
    storeId: store.id,
    storeName: store.name,
    amountCents: body.amount,
    cashbackBps,
    bonusBps: cappedBonus(cashbackBps, terms.bonusBps),
    tokenSlug,
    balanceBlock: terms.block,
    bonusRead: terms.open && { ...terms.open, mostBps: cappedBonus(cashbackBps, MOST_BONUS_BPS), mostBoostedBps: null },
    inviteBps: inviteBpsNow(services),
    // It is written with those of other requests.
    traceparent: traceparentNow(),
  };
  return addOnce(services, registrations, store, wanted, keyed);
}

/** The store, if it can sell now, with its percents at that moment (milliseconds UTC), and the highest of them. */
async function requireSellingStore(services: Services, registrations: Registrations, id: bigint) {
  const { environment, accounts, saleRules } = services;
  const store = await registrations.stores.find(id);
  if (!store) throw new ApiError(404, "NOT_FOUND", "store_id: Store not found", { extra: { field: "store_id" } });
  const lacks = lacksOf(store);
  if (lacks.includes("rate")) {
    const message = `Store ${store.id} has no cashback category; add one under Lojas before selling`;
    throw new ApiError(409, "NO_CASHBACK", message);
  }
  if (lacks.includes("link") || (!environment.SIMULATED_PURCHASES && linkOf(store, "click", accounts) === null)) {
    const message = `Store ${store.id} has no affiliate link; add it under Lojas before selling`;
    throw new ApiError(409, "NO_LINK", message);
  }
  if (store.paused_since !== null) {
    const message = `Store ${store.id} is paused by its network; it sells again when it comes back`;
    throw new ApiError(409, "STORE_PAUSED", message);
  }
  if (!(await isNamedSoon(registrations, store))) {
    const message = `Store ${store.id} is not registered on the chain yet; try again in a minute`;
    throw new ApiError(409, "STORE_UNKNOWN", message);
  }
  // What is promised is what runs at the click, not when the store was read.
  const at = BigInt(Date.now());
  const categories = payableOf(boosted(store.categories, store.boosts, at), saleRules);
  const cashbackBps = categories.reduce((most, one) => (one.cashbackBps > most ? one.cashbackBps : most), 0n);
  return { store: { ...store, categories }, cashbackBps, at };
}

/** Adds the purchase. A request with the same key gets the response of the first. */
async function addOnce(
  services: Services,
  registrations: Registrations,
  store: StoreWithCategories,
  wanted: SimulatedPurchase,
  keyed: KeyedRequest | undefined,
): Promise<RegisteredPurchase> {
  const answerOf = (purchase: InsertedPurchase): RegisteredPurchase => {
    const affiliate_url = linkOf(store, purchase.clickId, services.accounts);
    return {
      success: true,
      message: "Purchase registered",
      purchase: {
        id: Number(purchase.id),
        ...toWireTerms({ ...wanted, bonusBps: purchase.bonusBps }),
        created_at: isoTime(purchase.createdAt),
        affiliate_url,
      },
    };
  };
  const write = () =>
    keyed
      ? registrations.addWith(wanted, (queries, inserted) => keep(queries, keyed, answerOf(inserted)))
      : registrations.purchases.add(wanted).then(requireInserted);
  const answer = await once(services, keyed, () => write().then(answerOf)).catch((error: unknown) => {
    throw error instanceof SimulatedLimitError ? simulatedLimit(services, error) : error;
  });
  const { amount: reais, cashback_percent: percent, bonus_percent: bonus } = answer.purchase ?? toWireTerms(wanted);
  const ids = { purchase: answer.purchase?.id, store: Number(store.id) };
  services.log.info({ ...ids, reais, percent, bonus }, "Purchase registered");
  return answer;
}

function keep(queries: Queries, keyed: KeyedRequest, answer: RegisteredPurchase): Promise<void> {
  return insertStoredAnswer(queries, keyed, { status: 200, response: JSON.stringify(answer) });
}

/** The same key arrived twice at once: the second gets the answer of the first. */
async function once(
  services: Services,
  keyed: KeyedRequest | undefined,
  write: () => Promise<RegisteredPurchase>,
): Promise<RegisteredPurchase> {
  try {
    return await write();
  } catch (error) {
    const other = keyed && isUniqueViolation(error) && (await repeatedAnswer(services, keyed));
    if (other) return other;
    throw error;
  }
}

function requireInserted(result: InsertedPurchase | SimulatedLimitError | undefined): InsertedPurchase {
  if (result instanceof SimulatedLimitError) throw result;
  if (!result) throw new Error("A purchase was not inserted");
  return result;
}

/** In cents; undefined without limits. */
export function limitsOf(environment: Services["environment"]): SimulatedLimits | undefined {
  const { SIMULATED_MAX_REAIS, SIMULATED_DAILY_MAX_REAIS, SIMULATED_TOTAL_DAILY_REAIS } = environment;
  if (SIMULATED_MAX_REAIS === undefined) return undefined;
  const [purchase = 0n, wallet = 0n, all = 0n] = [
    SIMULATED_MAX_REAIS,
    SIMULATED_DAILY_MAX_REAIS,
    SIMULATED_TOTAL_DAILY_REAIS,
  ].map((reais) => BigInt(reais ?? 0) * 100n);
  return { purchase, wallet, all };
}

/** docs/product.md#simulated-limits */
function simulatedLimit({ environment }: Services, { limit, opensAt }: SimulatedLimitError): ApiError {
  const cents = limitsOf(environment)?.[limit] ?? 0n;
  const what = { purchase: "a purchase", wallet: "a wallet and day", all: "all wallets together and day" }[limit];
  const until = opensAt ? `; there is room again at ${opensAt.toISOString()}` : "";
  const message = `Simulated purchases are limited to R$ ${reaisText(cents)} for ${what}${until}`;
  const extra = { limit, params: { max: reaisText(cents) }, due_at: opensAt?.toISOString() ?? null };
  return new ApiError(409, "SIMULATED_LIMIT", message, { extra });
}

function toWireTerms(wanted: SimulatedPurchase) {
  return {
    store_id: Number(wanted.storeId),
    amount: reaisText(wanted.amountCents),
    cashback_percent: percentText(wanted.cashbackBps),
    bonus_percent: percentText(wanted.bonusBps),
    total_percent: percentText(wanted.cashbackBps + wanted.bonusBps),
    bonus_state: wanted.bonusRead?.state ?? "known",
    token_slug: wanted.tokenSlug,
    status: "processing",
  } as const;
}

async function repeatedAnswer(services: Services, keyed: KeyedRequest): Promise<RegisteredPurchase | undefined> {
  const known = await findStoredAnswer(services.database.kysely, keyed);
  return known && registerPurchaseResponseSchema.parse(JSON.parse(known.response));
}

/** A newly created store has its name on chain within seconds. */
async function isNamedSoon({ stores }: Registrations, store: StoreWithCategories): Promise<boolean> {
  let { isNamed } = store;
  for (let looks = 0; !isNamed && looks < NAME_LOOKS; looks++) {
    await delay(NAME_LOOK_MS);
    isNamed = (await stores.find(store.id))?.isNamed ?? false;
  }
  return isNamed;
}

/**
 * In live mode this records a click to a store. What is bought there, and for how much, comes from its network; nothing
 * is ever paid on a buyer's own word. docs/product.md#sales-click.
 */
async function registerClick(
  services: Services,
  registrations: Registrations,
  wallet: WalletAddress,
  store: StoreWithCategories,
  { bonusBps, block, open, tokenSlug, clickedAt, keyed, page }: ClickTerms,
): Promise<RegisteredPurchase> {
  const rates = store.categories.map((one) => ({
    groupCode: one.groupCode,
    bps: one.plainBps,
    boostedBps: one.cashbackBps,
    commissionBps: one.commissionBps,
    isDefault: one.isDefault,
  }));
  const terms = freezeTerms(rates, bonusBps, clickedAt);
  const most = freezeTerms(rates, MOST_BONUS_BPS, clickedAt);
  if (!terms || !most) throw new Error("A store without a percent was offered");
  const link = store.network === null ? null : { network: store.network, account: store.account };
  const windowDays = store.claim_days ?? CLICK_WINDOW_DAYS;
  const wanted = {
    wallet,
    storeId: store.id,
    storeName: store.name,
    tokenSlug,
    balanceBlock: block,
    terms: { ...terms, link },
    bonusRead: open && { ...open, mostBps: most.bonusBps, mostBoostedBps: most.boosted?.bonusBps ?? null },
    clickedAt,
    windowMs: windowDays * BIG_DAY_MS,
    inviteBps: inviteBpsNow(services),
  };
  const answerOf = (click: Click): RegisteredPurchase => {
    services.log.info({ store: Number(store.id), click: Number(click.id) }, "Click registered");
    return {
      success: true,
      message: "Click registered",
      purchase: null,
      click: {
        id: click.token,
        store_id: Number(store.id),
        bonus_state: open?.state ?? "known",
        expires_at: isoTime(click.expires_at),
        affiliate_url: linkOf(store, click.token, services.accounts, page),
      },
    };
  };
  const write = async () => {
    if (!keyed) return answerOf(await registrations.clicks.add(wanted));
    return inTransaction(services.database.kysely, async (queries) => {
      const [click] = await insertClicks(queries, [wanted]);
      if (!click) throw new Error("A click was not inserted");
      const answer = answerOf(click);
      await keep(queries, keyed, answer);
      return answer;
    });
  };
  return once(services, keyed, write);
}

/** What an invitation adds to a click of now, in basis points; 0: nobody invites. docs/product.md#invite */
export function inviteBpsNow({ environment }: Pick<Services, "environment">): bigint {
  return BigInt(environment.INVITE_BONUS_PERCENT) * 100n;
}

type ClickTerms = BonusTerms & {
  tokenSlug: string | null;
  clickedAt: bigint;
  keyed: KeyedRequest | undefined;
  page: string | undefined;
};

// The bonus at the click ------------------------------------------------------------------------------------------------

/** A bonus as far as it is known at the click; `open` is what is read later, without its bounds by the percents. */
type BonusTerms = { bonusBps: bigint; block: bigint | null; open: OpenBonus | null };
type OpenBonus = Omit<BonusRead, "mostBps" | "mostBoostedBps">;

type BonusBuyer = { wallet: WalletAddress; store: StoreWithCategories; tokenSlug: string | null; asker: string };

const NOTHING: TokenBalance = { units: 0n, decimals: 0 };
/** More than any threshold. */
const PLENTY: TokenBalance = { units: 1_000_000_000n, decimals: 0 };

/** The bonus for a balance: money is given by it, so it takes what every node says. docs/product.md#bonus */
export function bonusFor(
  held: Agreed<TokenBalance>,
  { token, club, clubToken }: Omit<BonusParameters, "balance">,
  program: BonusProgram,
): bigint {
  return bonus({ token, club, clubToken, balance: held.value }, program).totalBps;
}

/**
 * The bonus by the buyer's balance at the click's block; where that cannot be had now, it is read later: a click waits for
 * nothing. docs/product.md#bonus-read
 */
async function readBonus(services: Services, buyer: BonusBuyer): Promise<BonusTerms> {
  const chosen = await chosenToken(services, buyer);
  if (!chosen.contract) return chosen.without;
  if (!services.nodes.isReady) return leaveOpen(services, chosen);
  try {
    const question = { asker: buyer.asker, at: { depth: 1 } };
    const held = await services.balances.agreed(buyer.wallet, chosen.contract, question);
    const bonusBps = bonusFor(held, chosen, services.environment.BONUS_PROGRAM);
    return { bonusBps, block: BigInt(held.block.number), open: null };
  } catch (error) {
    if (!(error instanceof NoAgreementError)) throw error;
    services.log.warn({ reason: error.message, why: error.why }, "A bonus is read later: the nodes do not agree now");
    return leaveOpen(services, chosen);
  }
}

/** `contract`: whose balance could raise the bonus; null if none could. */
type Chosen = {
  token: FanTokenRow | undefined;
  club: string | null;
  clubToken: string | null;
  contract: WalletAddress | null;
  without: BonusTerms;
};

async function chosenToken(services: Services, { store, tokenSlug }: BonusBuyer): Promise<Chosen> {
  const { club, clubToken } = store;
  if (tokenSlug === null) {
    return { token: undefined, club, clubToken, contract: null, without: { bonusBps: 0n, block: null, open: null } };
  }
  const token = await findFanTokenBySlug(services.database.kysely, tokenSlug);
  const extra = { field: "token_slug" };
  if (!token) throw new ApiError(400, "INVALID_REQUEST", "token_slug is not the slug of a fan token", { extra });
  const of = (balance: TokenBalance) =>
    bonus({ token, club, clubToken, balance }, services.environment.BONUS_PROGRAM).totalBps;
  const bonusBps = of(NOTHING);
  const contract = of(PLENTY) > bonusBps ? token.contract : null;
  return { token, club, clubToken, contract, without: { bonusBps, block: null, open: null } };
}

async function leaveOpen(
  services: Services,
  { token, club, clubToken, contract, without }: Chosen,
): Promise<BonusTerms> {
  if (!contract || !token) return without;
  // The newest block that is known without asking: of the index, or of the nodes' last check.
  const { nodes, database } = services;
  const block = (await indexedBlock(database.kysely)) ?? (nodes.head === undefined ? undefined : BigInt(nodes.head));
  if (block === undefined) return without;
  const { slug, name } = token;
  const program = services.environment.BONUS_PROGRAM;
  return {
    ...without,
    block,
    open: { state: "open", token: { slug, name }, contract, club, clubToken, program, block },
  };
}
