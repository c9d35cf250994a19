import { lockUsers } from "../../core/database/touch-user.ts";
import { inTransaction, isUniqueViolation, type Queries } from "../../core/database/transaction.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import {
  claimsResponseSchema,
  clicksQuerySchema,
  clicksResponseSchema,
  createClaimRequestSchema,
  createClaimResponseSchema,
} from "../../core/rules/api/sales.ts";
import { bonusStateOf } from "../../core/rules/bonus-read.ts";
import { BIG_DAY_MS, isoTime } from "../../core/rules/iso-time.ts";
import { formatDecimal, reaisText } from "../../core/rules/money.ts";
import { idsOf } from "../../core/rules/records.ts";
import { CLAIM_ANSWER_DAYS } from "../../core/rules/sale/value.ts";
import { CLAIM_PICTURE_BYTES } from "../../core/rules/uploads.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { type Click, findClickByToken, listClicks } from "../../core/sales/clicks.ts";
import { type ClaimRow, findClaim, listClaims, type Reported, sumReported } from "../../core/sales/queries.ts";
import { PICTURE_TYPES, pictureIn } from "../assets/picture.ts";
import { conflict, invalid, notFound } from "../http/api-error.ts";
import { nextBefore, type Route, readId, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";
import { attachPicture } from "./pictures.ts";

/** A buyer's clicks, and claims for cashback that is missing. docs/product.md#sales-claims. */
export function clickRoutes(services: Services): Route[] {
  const { kysely, reader } = services.database;
  return [
    route.get("/api/clicks", {
      access: "user",
      cost: { thread: 2, node: 0, stored: 0, mail: 0 },
      summary: "The signed-in user's clicks, newest first",
      query: clicksQuerySchema,
      responses: { 200: clicksResponseSchema },
      async handle({ identity, query }) {
        const rows = await listClicks(reader, visitorOf(identity).wallet, query);
        const reported = await sumReported(reader, idsOf(rows));
        const stores = [...new Set(rows.map((row) => row.store_id))];
        const pace = new Map(
          await Promise.all(stores.map(async (id) => [id, (await services.paces.of(id)).report] as const)),
        );
        const clicks = rows.map((row) => ({
          id: row.token,
          store_id: Number(row.store_id),
          store: row.store_now,
          token_slug: row.token_slug,
          bonus_state: bonusStateOf(row),
          created_at: isoTime(row.created_at),
          expires_at: isoTime(row.expires_at),
          ...toWireReported(reported.get(row.id)),
          claimable_at: isoTime(row.created_at + claimAfterMs(services)),
          usual_days: pace.get(row.store_id) ?? null,
        }));
        return { body: { success: true, clicks, next_before: nextBefore(rows, query.limit, (row) => row.id) } };
      },
    }),
    route.get("/api/claims", {
      access: "user",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "The signed-in user's claims for missing cashback, newest first",
      query: clicksQuerySchema,
      responses: { 200: claimsResponseSchema },
      async handle({ identity, query }) {
        const rows = await listClaims(reader, visitorOf(identity).wallet, query);
        const claims = rows.map(toWireClaim);
        return { body: { success: true, claims, next_before: nextBefore(rows, query.limit, (row) => row.id) } };
      },
    }),
    route.post("/api/claims", {
      access: "user",
      cost: { thread: 2, node: 0, stored: 900, mail: 0 },
      summary: "Submits a claim for missing cashback; moves no money by itself",
      body: createClaimRequestSchema,
      failures: { 404: "No such click", 409: "Too early, too late, or claimed before" },
      responses: { 200: createClaimResponseSchema },
      async handle({ body, identity }) {
        const { wallet } = visitorOf(identity);
        const bought = BigInt(Date.parse(`${body.date}T00:00:00Z`));
        if (bought > BigInt(Date.now()) + BIG_DAY_MS) throw invalid("date must not be in the future", "date");
        const click = await findClick(kysely, wallet, { storeId: body.store_id, token: body.click_id ?? null, bought });
        requireWindow(click, claimAfterMs(services));
        const id = await inTransaction(kysely, async (queries) => {
          // One at a time of a wallet, so that two at once cannot both be the last that is allowed.
          await lockUsers(queries, new Set([wallet]));
          await requireRoom(queries, click, body.order_ref);
          return insertClaim(queries, click, body);
        }).catch((error: unknown) => {
          if (isUniqueViolation(error)) throw conflict("This order was already claimed", "CLAIMED");
          throw error;
        });
        const claim = await findClaim(kysely, id);
        if (!claim) throw notFound("Claim");
        return { body: { success: true, message: "Claim received", claim: toWireClaim(claim) } };
      },
    }),
    route.post("/api/claims/:id/picture", {
      access: "user",
      cost: { thread: 5, node: 0, stored: 700000, mail: 0 },
      summary: "Attaches a picture to an own claim that is not answered yet; it replaces an earlier one",
      bodyLimitBytes: CLAIM_PICTURE_BYTES,
      bodyTypes: PICTURE_TYPES,
      failures: { 404: "No such claim", 409: "The claim is answered" },
      responses: { 200: doneSchema },
      async handle({ identity, params, bytes }) {
        const { wallet } = visitorOf(identity);
        const picture = pictureIn(bytes);
        await inTransaction(kysely, async (queries) => {
          // Beside an erasure of this wallet, which would leave the picture.
          await lockUsers(queries, new Set([wallet]));
          const claim = await findClaim(queries, readId(params.id, "Claim"));
          if (claim?.wallet !== wallet) throw notFound("Claim");
          if (claim.state !== "open") throw conflict("This claim is answered", "DECIDED");
          await attachPicture(queries, claim, picture);
        });
        return { body: { success: true, message: "Picture attached" } };
      },
    }),
  ];
}

function toWireReported(reported: Reported | undefined) {
  const { sales = 0, declined = 0, amountCents = null, cashbackCentBps = 0n } = reported ?? {};
  return {
    sales,
    declined,
    amount: amountCents === null ? null : reaisText(amountCents),
    // Exact: cents × basis points have six places.
    cashback: amountCents === null ? null : formatDecimal(cashbackCentBps, 6, 2),
  };
}

/** Of a wallet, in a UTC day. */
const CLAIMS_A_DAY = 10;

function claimAfterMs({ environment }: Services): bigint {
  return BigInt(environment.CLAIM_AFTER_DAYS) * BIG_DAY_MS;
}

/** The click of a claim: the named one, otherwise the last one before the end of the purchase day. */
async function findClick(
  queries: Queries,
  wallet: WalletAddress,
  wanted: { storeId: bigint; token: string | null; bought: bigint },
): Promise<Click> {
  const click =
    wanted.token !== null
      ? await findClickByToken(queries, wanted.token)
      : await queries
          .selectFrom("clicks")
          .selectAll()
          .where("wallet", "=", wallet)
          .where("store_id", "=", wanted.storeId)
          .where("created_at", "<", wanted.bought + 2n * BIG_DAY_MS)
          .orderBy("id", "desc")
          .limit(1)
          .executeTakeFirst();
  if (click?.wallet !== wallet || click.store_id !== wanted.storeId) throw notFound("Click to this store");
  return click;
}

function requireWindow(click: Click, claimAfterMs: bigint): void {
  const now = BigInt(Date.now());
  const from = click.created_at + claimAfterMs;
  if (now < from) {
    throw conflict(
      `Sales take a while to arrive: you can claim from ${isoTime(from).slice(0, 10)}`,
      "CLAIM_TOO_EARLY",
      {
        due_at: isoTime(from),
      },
    );
  }
  if (now > click.expires_at) throw conflict("The claim window of this click has ended", "CLAIM_TOO_LATE");
}

/** docs/product.md#sales-claims */
async function requireRoom(queries: Queries, { wallet, id }: Click, order: string): Promise<void> {
  const open = await queries
    .selectFrom("claims")
    .select("order_ref")
    .where("click_id", "=", id)
    .where("state", "=", "open")
    .executeTakeFirst();
  if (open?.order_ref === order) throw conflict("This order was already claimed", "CLAIMED");
  if (open) throw conflict("This click has a claim that is not answered yet", "CLAIM_OPEN", { field: "click_id" });
  const today = BigInt(Date.now()) / BIG_DAY_MS;
  const newest = await queries
    .selectFrom("claims")
    .select("created_at")
    .where("wallet", "=", wallet)
    .orderBy("id", "desc")
    .limit(CLAIMS_A_DAY)
    .execute();
  const isFull = newest.length === CLAIMS_A_DAY && newest.every((one) => one.created_at >= today * BIG_DAY_MS);
  if (!isFull) return;
  const due_at = isoTime((today + 1n) * BIG_DAY_MS);
  throw conflict(`A wallet can submit ${CLAIMS_A_DAY} claims a day; try again tomorrow`, "CLAIMS_PER_DAY", { due_at });
}

type NewClaim = { order_ref: string; amount: bigint; date: string; note?: string | null | undefined };

async function insertClaim(queries: Queries, click: Click, claim: NewClaim): Promise<bigint> {
  const { id } = await queries
    .insertInto("claims")
    .values({
      wallet: click.wallet,
      store_id: click.store_id,
      click_id: click.id,
      order_ref: claim.order_ref,
      amount_cents: claim.amount,
      purchased_on: claim.date,
      note: claim.note || null,
      state: "open",
      created_at: BigInt(Date.now()),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export function toWireClaim(claim: ClaimRow) {
  return {
    id: Number(claim.id),
    store_id: Number(claim.store_id),
    store: claim.store_name,
    click_id: claim.click_token,
    order_ref: claim.order_ref,
    amount: reaisText(claim.amount_cents),
    date: claim.purchased_on,
    note: claim.note,
    state: claim.state,
    reason: claim.reason,
    created_at: isoTime(claim.created_at),
    answer_by: isoTime(claim.created_at + CLAIM_ANSWER_DAYS * BIG_DAY_MS),
    has_picture: claim.picture_type !== null,
    decided_at: isoTime(claim.decided_at),
  };
}
