import { type ReportProblem, sayProblems } from "./problem.ts";

/** Why a sale waits for a person. Nothing is minted or paid for a held sale. docs/product.md#sales-held */
export const HOLD_REASONS = [
  "drift",
  "no_rate",
  "other_account",
  "other_store",
  "buyer_changed",
  "too_many",
  "too_high",
  "too_fast",
  "order_twice",
  "low_commission",
  "other_ticket",
  "likely_ticket",
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

function isHoldReason(text: string): text is HoldReason {
  return HOLD_REASONS.some((reason) => reason === text);
}

export type HoldLimits = { salesPerDay: bigint; maximumCents: bigint; minimumSeconds: bigint };

/** The facts that decide whether a sale of a known buyer is held; amounts are in cents. */
export type HoldFacts = {
  drift: readonly ReportProblem[];
  /** The currency that has no rate; null if the amounts are known. */
  missingRate: string | null;
  amountCents: bigint | undefined;
  commissionCents: bigint | null;
  /** Without a boost. */
  cashbackCentBps: bigint;
  storeId: bigint;
  /** Whether the click's store belongs to the account that reports the sale; what tells why not. */
  isOfAccount: boolean;
  accountFigures?: HoldFigures;
  /** The advertiser that the report names, if it is not the click's store. */
  otherAdvertiser: string | null;
  /** The click that the report names since the sale can no longer move to it. */
  otherClick: bigint | null;
  clickedAt: bigint;
  /** By the report; one that gives no time was recorded by us then, at the latest. */
  occurredAt: bigint;
  /** The number of this sale among its buyer's sales of the day, from 1. */
  ordinalOfDay: bigint;
  /** Other sales of the same order. */
  sameOrder: readonly bigint[];
  /** Tickets on chain with the sale's reference, of another buyer or store. */
  otherTickets: readonly bigint[];
  /** Tickets on chain that are probably the sale's, with a reference that no key explains. */
  likelyTickets: readonly bigint[];
};

const BPS = 10_000n;

/** The figures that word a reason, or tell it from another one of its kind; amounts are in cents. */
export const HOLD_FIGURES = [
  ...(["limit", "seconds", "currency", "detail", "commission", "cashback"] as const),
  ...(["amount", "elapsed", "store", "advertiser", "click", "sales", "tickets", "account", "unlinked"] as const),
] as const;
/** `detail` says the problems in English; rows of earlier versions have nothing else. */
export type HoldFigures = { [Figure in (typeof HOLD_FIGURES)[number]]?: string } & {
  problems?: ReportProblem[];
};
/** A reason that applies. */
export type Hold = { reason: HoldReason; figures: HoldFigures };

/** All reasons that apply. */
export function holdReasons(facts: HoldFacts, limits: HoldLimits): Hold[] {
  const found: Hold[] = [];
  const add = (applies: boolean, reason: HoldReason, figures: HoldFigures = {}) => {
    if (applies) found.push({ reason, figures });
  };
  const store = String(facts.storeId);
  found.push(...holdForDrift(facts.drift));
  add(facts.missingRate !== null, "no_rate", { currency: facts.missingRate ?? "" });
  add(!facts.isOfAccount, "other_account", { store, ...facts.accountFigures });
  add(facts.otherAdvertiser !== null, "other_store", { advertiser: facts.otherAdvertiser ?? "", store });
  add(facts.otherClick !== null, "buyer_changed", { click: String(facts.otherClick) });
  add(facts.ordinalOfDay > limits.salesPerDay, "too_many", { limit: String(limits.salesPerDay) });
  add((facts.amountCents ?? 0n) > limits.maximumCents, "too_high", {
    limit: String(limits.maximumCents),
    amount: String(facts.amountCents),
  });
  const elapsedMs = facts.occurredAt - facts.clickedAt;
  add(limits.minimumSeconds > 0n && elapsedMs < limits.minimumSeconds * 1_000n, "too_fast", {
    seconds: String(limits.minimumSeconds),
    elapsed: String(elapsedMs),
  });
  add(facts.sameOrder.length > 0, "order_twice", { sales: facts.sameOrder.join(" ") });
  add(facts.commissionCents !== null && facts.commissionCents * BPS < facts.cashbackCentBps, "low_commission", {
    commission: String(facts.commissionCents),
    cashback: String(facts.cashbackCentBps / BPS),
  });
  add(facts.otherTickets.length > 0, "other_ticket", { tickets: facts.otherTickets.join(" ") });
  add(facts.likelyTickets.length > 0, "likely_ticket", { tickets: facts.likelyTickets.join(" ") });
  return found;
}

/** The only reason that does not depend on the buyer. */
export function holdForDrift(problems: readonly ReportProblem[]): Hold[] {
  if (problems.length === 0) return [];
  return [{ reason: "drift", figures: { detail: sayProblems(problems, "en"), problems: [...problems] } }];
}

/** The figures of each reason, stored with the reasons. */
export function encodeFigures(holds: readonly Hold[]): string {
  return JSON.stringify(Object.fromEntries(holds.map(({ reason, figures }) => [reason, figures])));
}

/** A reason that a person released for the click that the sale had, with the cashback that it came to. */
export type Release = Hold & Released;
type Released = { clickId: bigint; centBps: bigint };

export function encodeReleases(releases: readonly Release[]): string {
  return JSON.stringify(
    releases.map(({ reason, figures, clickId, centBps }) => [reason, figures, String(clickId), String(centBps)]),
  );
}

export function readReleases(text: string): Release[] {
  const stored: [string, HoldFigures, string, string][] = text === "" ? [] : JSON.parse(text);
  return stored.flatMap(([reason, figures, clickId, centBps]) =>
    isHoldReason(reason) ? [{ reason, figures, clickId: BigInt(clickId), centBps: BigInt(centBps) }] : [],
  );
}

/**
 * A release covers a reason with exactly the figures that were seen, for that click alone, and no higher cashback.
 * docs/product.md#sales-people
 */
export function isReleased({ reason, figures }: Hold, releases: readonly Release[], now: Released): boolean {
  const isSame = (other: HoldFigures) => HOLD_FIGURES.every((name) => other[name] === figures[name]);
  const covers = (one: Release) =>
    one.reason === reason && isSame(one.figures) && one.clickId === now.clickId && now.centBps <= one.centBps;
  return !UNRELEASABLE.has(reason) && releases.some(covers);
}

/** What no release can lift: there is no amount, another store sold it, or another ticket stands for it. */
export const UNRELEASABLE: ReadonlySet<HoldReason> = new Set(["no_rate", "other_store", "other_ticket"]);

/** Stored reasons with their figures. */
export function readHolds(reasons: string, figures: string | null): Hold[] {
  const known: Partial<Record<HoldReason, HoldFigures>> = figures === null ? {} : JSON.parse(figures);
  const names = reasons.split(" ").filter(isHoldReason);
  return names.map((reason) => ({ reason, figures: known[reason] ?? {} }));
}
