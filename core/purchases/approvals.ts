import { type Selectable, sql } from "kysely";
import { among } from "../database/among.ts";
import { actingIn, deciderOf, noteChangedFact, SERVICE } from "../database/changed-facts.ts";
import { engineOf, readClock } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import { readSetting, writeSetting, writeSettingOnce } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { BIG_DAY_MS } from "../rules/iso-time.ts";
import { idsOf } from "../rules/records.ts";
import { type Permission, permissionsOf, type Role } from "../rules/roles.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { recountPurchases } from "./purchase-rows.ts";
import { salesOf } from "./queries.ts";

/** Who may decide what, and above which sum a day their decisions take a second person, unless others are announced. */
export type ApprovalRules = { aboveGwei: bigint | undefined; roleOf(wallet: string): Role | undefined };

type Rules = { aboveGwei: string | null; roles: (readonly [string, Role])[] };
/** The rules in force, and those of each api that runs, until when without a further word of it. */
type Announced = Rules & { of: (Rules & { until: string })[] };

/** For how long an api counts as running after its last word. */
const ANNOUNCED_MS = 90_000n;

/**
 * An api says by which rules it judges payouts, at its start and while it runs. The strictest of all that run are in
 * force in every process: the lowest sum, and only the wallets that all of them know. So none that is started with an old
 * environment loosens them. What is queued by other rules is judged anew. Returns the sum in force, and whether another api
 * has other rules. docs/product.md#sales-decision
 */
export async function announceApprovals(
  queries: Queries,
  { aboveGwei, roles }: { aboveGwei: bigint | undefined; roles: ReadonlyMap<string, Role> },
  forMs = ANNOUNCED_MS,
): Promise<{ aboveGwei: bigint | undefined; isDisputed: boolean }> {
  const own: Rules = { aboveGwei: aboveGwei?.toString() ?? null, roles: [...roles].sort() };
  const nobody: Announced = { aboveGwei: null, roles: [], of: [] };
  await writeSettingOnce(queries, "approval_rules", JSON.stringify(nobody));
  const select = queries.selectFrom("settings").select("value").where("name", "=", "approval_rules");
  // SQLite has one writer.
  const row = await (engineOf(queries) === "sqlite" ? select : select.forUpdate()).executeTakeFirstOrThrow();
  const { of, ...before } = announcedIn(row.value);
  const now = BigInt(await readClock(queries));
  const others = of.filter((one) => BigInt(one.until) > now && textOf(one) !== textOf(own));
  const inForce = strictest(own, others);
  const announced: Announced = { ...inForce, of: [...others, { ...own, until: String(now + forMs) }] };
  await writeSetting(queries, "approval_rules", JSON.stringify(announced));
  if (textOf(before) !== textOf(inForce)) await noteChangedFact(queries, "payouts");
  return { aboveGwei: sumOf(inForce), isDisputed: others.length > 0 };
}

/** Whether apis run that would judge payouts differently. */
export async function areRulesDisputed(queries: Queries): Promise<boolean> {
  const value = await readSetting(queries, "approval_rules");
  if (value === undefined) return false;
  const now = BigInt(await readClock(queries));
  const running = announcedIn(value).of.filter((one) => BigInt(one.until) > now);
  return new Set(running.map(textOf)).size > 1;
}

function announcedIn(value: string): Announced {
  const { of = [], ...inForce }: Rules & Partial<Announced> = JSON.parse(value);
  return { ...inForce, of };
}

function textOf({ aboveGwei, roles }: Rules): string {
  return JSON.stringify([aboveGwei, roles]);
}

function strictest(own: Rules, others: readonly Rules[]): Rules {
  const sums = [own, ...others].flatMap((one) => sumOf(one) ?? []);
  const lowest = sums.length === 0 ? null : sums.reduce((least, one) => (one < least ? one : least)).toString();
  const isKnownTo = ({ roles }: Rules, [wallet, role]: readonly [string, Role]) =>
    roles.some(([one, other]) => one === wallet && other === role);
  return { aboveGwei: lowest, roles: own.roles.filter((one) => others.every((rules) => isKnownTo(rules, one))) };
}

function sumOf({ aboveGwei }: Rules): bigint | undefined {
  return aboveGwei === null ? undefined : BigInt(aboveGwei);
}

/** Locked until the transaction ends: rules that are announced meanwhile find what it queued. */
async function rulesInForce(queries: Queries, own: ApprovalRules): Promise<ApprovalRules> {
  const select = queries.selectFrom("settings").select("value").where("name", "=", "approval_rules");
  // SQLite has one writer.
  const row = await (engineOf(queries) === "sqlite" ? select : select.forShare()).executeTakeFirst();
  if (!row) return own;
  const inForce = announcedIn(row.value);
  const roleOf = new Map(inForce.roles);
  return { aboveGwei: sumOf(inForce), roleOf: (wallet) => roleOf.get(wallet) };
}

/** `amountGwei`: what is paid, and what is kept for the buyer's debt. */
type Payout = { purchaseId: bigint; wallet: WalletAddress; amountGwei: bigint };
type Request = Selectable<Schema["approvals"]>;
type State = Request["state"];

/**
 * From now on these purchases, and whatever else their sales have or will have, are paid by this person's decision. What
 * waited for another decision, or was refused, is judged anew.
 */
export async function attribute(queries: Queries, some: readonly bigint[], actor: string): Promise<void> {
  if (some.length === 0) return;
  const decider = deciderOf(actor);
  const sales = [...(await salesOf(queries, some))];
  if (sales.length > 0)
    await queries
      .updateTable("sales")
      .set({ decided_by: decider })
      .where(among(queries, "id", sales))
      .execute();
  await renewRefused(queries, some);
  const others = (await listOfSales(queries, sales)).filter(({ settled_at }) => settled_at === null);
  const ids = [...new Set([...some, ...idsOf(others)])];
  await queries
    .updateTable("purchases")
    .set({
      decided_by: decider,
      approval_id: null,
      // In this person's day, it is not counted yet.
      decided_day: sql<bigint | null>`case when decided_by = ${decider} then decided_day end`,
    })
    .where(among(queries, "id", ids))
    .execute();
  await recountPurchases(queries, ids);
}

/**
 * What a sale has or will have is paid by this person's decision, though they named another sale, or a fact. What was asked
 * for another decision is asked anew; what a second person refused stays refused. Returns the purchases that waited.
 */
export async function setDecider(queries: Queries, saleId: bigint, decider: string): Promise<bigint[]> {
  await queries.updateTable("sales").set({ decided_by: decider }).where("id", "=", saleId).execute();
  const unsettled = () =>
    queries.updateTable("purchases").where("sale_id", "=", saleId).where("settled_at", "is", null).returning("id");
  await unsettled()
    // In this person's day, it is not counted yet.
    .set({ decided_by: decider, decided_day: null })
    .where(({ or, eb }) => or([eb("decided_by", "is", null), eb("decided_by", "<>", decider)]))
    .execute();
  const waited = await unsettled()
    .set({ approval_id: null })
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("approvals")
          .select("id")
          .whereRef("approvals.id", "=", "purchases.approval_id")
          .where("state", "=", "open")
          .where("asked_by", "<>", decider),
      ),
    )
    .execute();
  return idsOf(waited);
}

/** Somebody decided again about what a second person had refused, of these purchases or others of their sales. */
export async function renewRefused(queries: Queries, some: readonly bigint[]): Promise<void> {
  const others = await listOfSales(queries, [...(await salesOf(queries, some))]);
  const ids = [...new Set([...some, ...idsOf(others)])];
  const renewed = await queries
    .updateTable("approvals")
    .set({ state: "renewed" })
    .where(among(queries, "purchase_id", ids))
    .where("state", "=", "refused")
    .returning("id")
    .execute();
  if (renewed.length === 0) return;
  await queries
    .updateTable("purchases")
    .set({ approval_id: null })
    .where(among(queries, "id", ids))
    .where(among(queries, "approval_id", idsOf(renewed)))
    .execute();
  await recountPurchases(queries, ids);
}

function listOfSales(queries: Queries, sales: readonly bigint[]) {
  return queries
    .selectFrom("purchases")
    .select(["id", "settled_at"])
    .where(among(queries, "sale_id", sales))
    .execute();
}

/** Takes payouts that are no longer queued out of their deciders' day. */
export async function uncount(queries: Queries, ids: readonly bigint[]): Promise<void> {
  const counted = await queries
    .updateTable("purchases")
    .set((set) => ({ decided_day: set.ref("decided_day") }))
    .where(among(queries, "id", ids))
    .where("decided_day", "is not", null)
    // What a second person agreed to is not judged by the sum again.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("approvals").select("id").whereRef("purchase_id", "=", "purchases.id").where("state", "=", "used"),
        ),
      ),
    )
    .returning(["id", "decided_by", "decided_day", "decided_gwei"])
    .execute();
  for (const { decided_by, decided_day, decided_gwei } of counted) {
    await queries
      .updateTable("decided_days")
      .set((set) => ({ gwei: set("gwei", "-", decided_gwei ?? 0n) }))
      .where("decider", "=", decided_by ?? "")
      .where("day", "=", decided_day ?? 0n)
      .execute();
  }
  const left = idsOf(counted);
  await queries
    .updateTable("purchases")
    .set({ decided_day: null })
    .where(among(queries, "id", left))
    .execute();
}

/** An amount or buyer changed: what was asked or approved for this purchase no longer counts. A refusal does. */
export async function lapseApprovals(queries: Queries, purchaseId: bigint): Promise<void> {
  await setStates(
    queries,
    [purchaseId],
    [
      ["open", "lapsed"],
      ["approved", "lapsed"],
    ],
  );
}

async function setStates(
  queries: Queries,
  purchaseIds: readonly bigint[],
  changes: readonly (readonly [from: State, to: State])[],
): Promise<void> {
  const to = sql.join(
    changes.map(([from, to]) => sql`when ${sql.lit(from)} then ${sql.lit(to)}`),
    sql` `,
  );
  await queries
    .updateTable("approvals")
    .set({ state: sql<State>`case state ${to} end` })
    .where(among(queries, "purchase_id", purchaseIds))
    .where(
      "state",
      "in",
      changes.map(([from]) => from),
    )
    .execute();
}

/**
 * Judges payouts at the moment when they would be queued: each counts for the person whose decision led to it, and the
 * one that takes that person's day above the limit, and all later ones, wait for a second person. So does, whatever the
 * limit, what would pay the decider. It counts without a limit too: one may be set that day. Returns the requests that
 * they wait for, by purchase; all others may be queued.
 * docs/product.md#panel-approvals
 */
export async function requestApprovals(
  queries: Queries,
  payouts: readonly Payout[],
  own: ApprovalRules,
): Promise<ReadonlyMap<bigint, bigint>> {
  const waiting = new Map<bigint, bigint>();
  if (payouts.length === 0) return waiting;
  const rules = await rulesInForce(queries, own);
  const { aboveGwei: limit } = rules;
  const ids = payouts.map(({ purchaseId }) => purchaseId);
  const decided = await queries
    .selectFrom("purchases")
    .select(["id", "decided_by", "decided_day", "decided_gwei", "approval_id"])
    .where(among(queries, "id", ids))
    .where("decided_by", "is not", null)
    .execute();
  if (decided.length === 0) return waiting;
  const rows = new Map(decided.map((row) => [row.id, row]));
  const requests = await queries
    .selectFrom("approvals")
    .selectAll()
    .where(among(queries, "purchase_id", [...rows.keys()]))
    .where("state", "!=", "lapsed")
    .orderBy("id", "desc")
    .execute();
  const day = BigInt(await readClock(queries)) / BIG_DAY_MS;
  const changed: bigint[] = [];
  for (const payout of payouts) {
    const row = rows.get(payout.purchaseId);
    if (!row?.decided_by) continue;
    const isOwn = payout.wallet === row.decided_by;
    const isLimited = limit !== undefined || isOwn;
    const known = requests.find((one) => isFor(one, payout, row.decided_by));
    const verdict = known && verdictOf(known, rules);
    if (verdict === "pass" && known) await use(queries, known);
    // A refusal stands without a limit too, until somebody decides again.
    else if (verdict === "wait" && known && (isLimited || known.state === "refused"))
      waiting.set(payout.purchaseId, known.id);
    else {
      await lapseApprovals(queries, payout.purchaseId);
      if (known?.state === "used") await setState(queries, known.id, "lapsed");
      const decided_by = (known && whoTakesOver(known, rules)) ?? row.decided_by;
      const isTakenOver = decided_by !== row.decided_by;
      if (isTakenOver) await takeOver(queries, row.id, decided_by);
      const judged = { ...row, decided_by, decided_day: isTakenOver ? null : row.decided_day };
      const gwei = await count(queries, judged, payout.amountGwei, day);
      const isAskedAgain = known !== undefined && !isTakenOver;
      // Nothing goes on by the word of who left the team, however little it is.
      const hasLeft = !mayDecide(decided_by, payout.wallet, rules);
      if (payout.wallet === decided_by || (limit !== undefined && (isAskedAgain || hasLeft || gwei > limit)))
        waiting.set(payout.purchaseId, await ask(queries, payout, decided_by));
    }
    const approvalId = waiting.get(payout.purchaseId) ?? null;
    if (approvalId === row.approval_id) continue;
    await queries.updateTable("purchases").set({ approval_id: approvalId }).where("id", "=", row.id).execute();
    changed.push(payout.purchaseId);
  }
  await recountPurchases(queries, changed);
  return waiting;
}

function isFor(request: Request, { purchaseId, wallet, amountGwei }: Payout, decider: string | null): boolean {
  const isSame = request.purchase_id === purchaseId && request.amount_gwei === amountGwei;
  return isSame && request.wallet === wallet && request.asked_by === decider;
}

function isAllowed(wallet: string | null, some: readonly Permission[], rules: ApprovalRules): boolean {
  const role = wallet === null ? undefined : rules.roleOf(wallet);
  return role !== undefined && permissionsOf(role).some((one) => some.includes(one));
}

/** Whose decision an approved request is from now on, because who asked may no longer decide: of who agreed. */
function whoTakesOver({ state, decided_by }: Request, rules: ApprovalRules): string | undefined {
  const isGood = (state === "approved" || state === "used") && isAllowed(decided_by, ["payments"], rules);
  return isGood ? (decided_by ?? undefined) : undefined;
}

async function takeOver(queries: Queries, purchaseId: bigint, decider: string): Promise<void> {
  const own = queries.updateTable("purchases").where("id", "=", purchaseId);
  await own.set({ decided_by: decider, decided_day: null }).execute();
  for (const id of await salesOf(queries, [purchaseId])) await setDecider(queries, id, decider);
}

/** Undefined: it does not count, so that somebody else must agree. */
function verdictOf({ state, asked_by, decided_by, wallet }: Request, rules: ApprovalRules) {
  if (state === "open" || state === "refused") return "wait";
  if (state === "renewed") return undefined;
  return mayDecide(asked_by, wallet, rules) && isAllowed(decided_by, ["payments"], rules) ? "pass" : undefined;
}

/** Whether somebody's decision counts. What would pay whoever decided is the other one's decision alone. */
function mayDecide(decider: string, buyer: WalletAddress, rules: ApprovalRules): boolean {
  if (decider === SERVICE || decider === buyer) return true;
  return isAllowed(decider, ["payments", "sales", "claims", "catalogue"], rules);
}

/** Adds a payout to its decider's day, once. Returns the day's sum; locks it until the transaction ends. */
async function count(
  queries: Queries,
  row: { id: bigint; decided_by: string; decided_day: bigint | null; decided_gwei: bigint | null },
  amountGwei: bigint,
  day: bigint,
): Promise<bigint> {
  const counted = row.decided_day === day ? (row.decided_gwei ?? 0n) : 0n;
  const gwei = amountGwei - counted;
  const sum = await addToDay(queries, row.decided_by, day, gwei);
  await queries
    .updateTable("purchases")
    .set({ decided_day: day, decided_gwei: amountGwei })
    .where("id", "=", row.id)
    .execute();
  return sum;
}

/**
 * Lifts debts in the day of whoever acts in this transaction: these are given at once, so each is judged before it is given.
 * `lift` hears how much that person may still free alone today; undefined without a limit, or if nobody acts.
 * docs/product.md#panel-approvals
 */
export async function liftInDay<Lifted extends { liftedGwei: bigint }>(
  queries: Queries,
  lift: (leftGwei?: bigint) => Lifted,
): Promise<Lifted> {
  const acting = actingIn(queries);
  if (!acting) return lift();
  const aboveGwei = await limitInForce(queries);
  const day = BigInt(await readClock(queries)) / BIG_DAY_MS;
  // Locked: another decision of this person's sees what is counted here.
  const known = await addToDay(queries, acting.by, day, 0n);
  const lifted = lift(aboveGwei === undefined ? undefined : aboveGwei > known ? aboveGwei - known : 0n);
  if (lifted.liftedGwei !== 0n) await addToDay(queries, acting.by, day, lifted.liftedGwei);
  return lifted;
}

async function limitInForce(queries: Queries): Promise<bigint | undefined> {
  const value = await readSetting(queries, "approval_rules");
  return value === undefined ? undefined : sumOf(announcedIn(value));
}

async function readDay(queries: Queries, decider: string, day: bigint): Promise<bigint> {
  const row = await queries
    .selectFrom("decided_days")
    .select("gwei")
    .where("decider", "=", decider)
    .where("day", "=", day)
    .executeTakeFirst();
  return row?.gwei ?? 0n;
}

/** Returns the day's sum; locks it until the transaction ends. */
async function addToDay(queries: Queries, decider: string, day: bigint, gwei: bigint): Promise<bigint> {
  const sum = await queries
    .insertInto("decided_days")
    .values({ decider, day, gwei })
    .onConflict((conflict) =>
      conflict.columns(["decider", "day"]).doUpdateSet({ gwei: sql`decided_days.gwei + excluded.gwei` }),
    )
    .returning("gwei")
    .executeTakeFirstOrThrow();
  return sum.gwei;
}

/** Whether so much more takes a person's day above what one person may let be paid. docs/product.md#panel-approvals */
export async function isBeyondDay(queries: Queries, actor: string, gwei: bigint, own: ApprovalRules): Promise<boolean> {
  const { aboveGwei } = await rulesInForce(queries, own);
  if (aboveGwei === undefined) return false;
  const day = BigInt(await readClock(queries)) / BIG_DAY_MS;
  return (await readDay(queries, deciderOf(actor), day)) + gwei > aboveGwei;
}

async function ask(queries: Queries, { purchaseId, wallet, amountGwei }: Payout, decider: string): Promise<bigint> {
  const { id } = await queries
    .insertInto("approvals")
    .values({
      purchase_id: purchaseId,
      wallet,
      amount_gwei: amountGwei,
      asked_by: decider,
      state: "open",
      created_at: BigInt(Date.now()),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function use(queries: Queries, request: Request): Promise<void> {
  if (request.state !== "used") await setState(queries, request.id, "used");
}

async function setState(queries: Queries, id: bigint, state: "used" | "lapsed"): Promise<void> {
  await queries.updateTable("approvals").set({ state }).where("id", "=", id).execute();
}
