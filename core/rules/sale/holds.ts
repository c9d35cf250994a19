import { idsOf } from "../records.ts";
import { type ClickFacts, type SaleFacts, type TicketFacts, type UnclaimedTicket, WINDOW_GRACE_MS } from "./facts.ts";
import { type AccountKey, type KnownAccount, type SaleRules, SIMULATED } from "./rules.ts";
import { type ClickTerms, type Valued, WITHOUT_COMMISSION } from "./value.ts";

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

export type HoldLimits = {
  salesPerDay: bigint;
  maximumCents: bigint;
  minimumSeconds: bigint;
  /** What an account may lose in a month by commissions below the cashback. docs/product.md#margin-loss */
  marginLossCents: bigint;
};

/** The facts that decide whether a sale of a known buyer is held; amounts are in cents. */
export type HoldFacts = {
  drift: readonly ReportProblem[];
  /** The currency that has no rate; null if the amounts are known. */
  missingRate: string | null;
  amountCents: bigint | undefined;
  commissionCents: bigint | null;
  /** Without a boost. */
  cashbackCentBps: bigint;
  /** The commission is below that, and nobody has taken the loss. */
  isLosing: boolean;
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

/** By how much a commission is below the cashback without boosts; 0: it is not, or is not known. */
export function lossOf({ value, plainCentBps }: Pick<Valued, "value" | "plainCentBps">): bigint {
  if (value === undefined || value.commissionCents === null) return 0n;
  const loss = plainCentBps - value.commissionCents * BPS;
  return loss > 0n ? loss : 0n;
}

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

type Found = {
  click: ClickFacts | null;
  /** The click that it cannot move to. */
  other: ClickFacts | null;
  valued: Valued;
  heldFor: readonly bigint[];
  otherTickets: readonly Pick<TicketFacts, "id">[];
};

/**
 * The reasons that apply to a sale, and whether one of them holds it that no person released for what it is `now`. Without
 * a buyer, only what the network reported can. `needsLoss`: nothing else holds it than a loss that its account might take;
 * `lossCentBps`: by how much its commission is below its cashback.
 * docs/product.md#sales-held
 */
export function holdSale(
  facts: SaleFacts,
  { click, other, valued, heldFor, otherTickets }: Found,
  { limits, accounts }: Pick<SaleRules, "limits" | "accounts">,
  now: Released,
): { holds: readonly Hold[]; isHolding: boolean; needsLoss: boolean; lossCentBps: bigint } {
  const lossCentBps = lossOf(valued);
  // No rule holds what nobody sold.
  if (facts.network === SIMULATED) return { holds: [], isHolding: false, needsLoss: false, lossCentBps };
  // The percents alone are within the commission as it is, or as it was known at the click: what is lost is lost by a bonus,
  // or by a commission that fell since. docs/product.md#margin-loss
  const isCovered = (centBps: bigint) => valued.baseCentBps <= centBps;
  const isExpected =
    isCovered((valued.value?.commissionCents ?? 0n) * BPS) || isCovered(valued.clickedCommissionCentBps);
  const isTaken = isExpected && (lossCentBps <= facts.lostCentBps || facts.mayLose === true);
  const { report, kept, createdAt } = facts;
  const isLikely = (
    { owner, storeId, valueCents, mintedAt }: UnclaimedTicket,
    { wallet, store, createdAt }: ClickFacts,
  ) =>
    owner === wallet &&
    storeId === store.id &&
    valueCents === valued.value?.amountCents &&
    mintedAt >= (report.occurredAt ?? createdAt) - WINDOW_GRACE_MS;
  const reasonsOf = (click: ClickFacts): Hold[] => {
    const { store } = click;
    const wrong = wrongAccount(facts, click, accounts);
    const isSeller = store.advertiserIds.length === 0 || store.advertiserIds.includes(report.advertiserId ?? "");
    return holdReasons(
      {
        drift: valued.drift,
        missingRate: valued.missing,
        amountCents: valued.value?.amountCents,
        commissionCents: valued.value?.commissionCents ?? null,
        cashbackCentBps: valued.plainCentBps,
        isLosing: lossCentBps > 0n && !isTaken,
        storeId: store.id,
        isOfAccount: wrong === undefined,
        accountFigures: wrong ?? {},
        // The advertiser that a report names, if the store is known by others. docs/product.md#sales-store
        otherAdvertiser: kept.terms !== null || isSeller ? null : report.advertiserId,
        otherClick: other?.id ?? null,
        clickedAt: click.createdAt,
        occurredAt: report.occurredAt ?? createdAt,
        ordinalOfDay: facts.ordinalOfDay,
        sameOrder: heldFor,
        otherTickets: idsOf(otherTickets),
        // Though the key of its reference is lost, it may be this sale's.
        likelyTickets: facts.purchases.length > 0 ? [] : idsOf(facts.unclaimed.filter((one) => isLikely(one, click))),
      },
      limits,
    );
  };
  const holds = click ? reasonsOf(click) : holdForDrift(valued.drift);
  const holding = holds.filter((one) => !isReleased(one, facts.released, now));
  // A loss that is released is taken, as any.
  const shown = holding.length > 0 || !isExpected ? holds : holds.filter(({ reason }) => reason !== "low_commission");
  return {
    holds: shown,
    isHolding: holding.length > 0,
    needsLoss: isExpected && holding.length > 0 && holding.every(({ reason }) => reason === "low_commission"),
    lossCentBps,
  };
}

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
  add(facts.isLosing, "low_commission", {
    commission: String(facts.commissionCents),
    cashback: String(facts.cashbackCentBps / BPS),
  });
  add(facts.otherTickets.length > 0, "other_ticket", { tickets: facts.otherTickets.join(" ") });
  add(facts.likelyTickets.length > 0, "likely_ticket", { tickets: facts.likelyTickets.join(" ") });
  return found;
}

function holdForDrift(problems: readonly ReportProblem[]): Hold[] {
  if (problems.length === 0) return [];
  return [{ reason: "drift", figures: { detail: sayProblems(problems, "en"), problems: [...problems] } }];
}

/** A reason that a person released for the click that the sale had, with the cashback that it came to. */
export type Release = Hold & Released;
type Released = { clickId: bigint; centBps: bigint };

/**
 * A release covers a reason with exactly the figures that were seen, for that click alone, and no higher cashback.
 * docs/product.md#sales-people
 */
function isReleased({ reason, figures }: Hold, releases: readonly Release[], now: Released): boolean {
  const isSame = (other: HoldFigures) => HOLD_FIGURES.every((name) => other[name] === figures[name]);
  const covers = (one: Release) =>
    one.reason === reason && isSame(one.figures) && one.clickId === now.clickId && now.centBps <= one.centBps;
  return !UNRELEASABLE.has(reason) && releases.some(covers);
}

/** What no release can lift: there is no amount, another store sold it, or another ticket stands for it. */
export const UNRELEASABLE: ReadonlySet<HoldReason> = new Set(["no_rate", "other_store", "other_ticket"]);

// The account ---------------------------------------------------------------------------------------------------------------

type Link = { network: string | null; isLinked: boolean; account: string | null };
type Visit = { store: Link; terms: Pick<ClickTerms, "link">; createdAt: bigint };

/** Why an account does not report the sales of a click's store, as figures of the hold; none of them: it is another's. */
type WrongAccount = { account?: string; unlinked?: string };

/** Undefined: it does. docs/product.md#sales-accounts */
function wrongAccount(
  sale: AccountKey,
  { store, terms, createdAt }: Visit,
  accounts: readonly KnownAccount[],
): WrongAccount | undefined {
  const reporter = accounts.find((one) => isConfigured(one) && isCalled(one, sale));
  if (!reporter) return { account: `${sale.network}/${sale.account}` };
  if (store.network === null) return { unlinked: "1" };
  if (store.network !== sale.network || isBeforeItsLink(reporter, { store, terms })) return {};
  if (store.account !== null) return isCalled(reporter, { ...sale, account: store.account }) ? undefined : {};
  return isOnly(reporter, accounts, createdAt) ? undefined : {};
}

export function isConfigured({ goneAt = null }: KnownAccount): boolean {
  return goneAt === null;
}

function isCalled(one: KnownAccount, { network, account }: AccountKey): boolean {
  return one.network === network && (one.account === account || (one.aliases ?? []).includes(account));
}

/** What was promised before a store became a direct shop does not count there: no commission bounds it. */
function isBeforeItsLink(reporter: KnownAccount, { store, terms }: Pick<Visit, "store" | "terms">): boolean {
  if (reporter.network !== WITHOUT_COMMISSION || !store.isLinked || terms.link === undefined) return false;
  if (terms.link?.network !== reporter.network) return true;
  return terms.link.account !== null && !isCalled(reporter, { ...reporter, account: terms.link.account });
}

/**
 * A store that names no account belongs to the only one of its network. One that was there since the click counts, though
 * it is gone: whose sales those are is not known by what is left.
 */
function isOnly({ network }: AccountKey, accounts: readonly KnownAccount[], since: bigint): boolean {
  return accounts.filter((one) => one.network === network && (one.goneAt ?? since + 1n) > since).length === 1;
}

// In words ---------------------------------------------------------------------------------------------------------------

type Say = (figures: HoldFigures) => string;

/** Why a sale is held. */
const HOLD_WORDS: Record<HoldReason, Record<HoldLanguage, Say>> = {
  drift: {
    en: ({ detail }) => `The network's report is not understood${detail ? `: ${detail}` : ""}`,
    pt: ({ detail, problems }) => {
      const said = problems ? sayProblems(problems, "pt") : detail;
      return `O aviso da rede não foi entendido${said ? `: ${said}` : ""}`;
    },
  },
  no_rate: {
    en: ({ currency }) => `There is no exchange rate for ${currency ?? "the sale's currency"}`,
    pt: ({ currency }) => `Não há cotação para ${currency ?? "a moeda da venda"}`,
  },
  other_account: {
    en: ({ account, unlinked }) => {
      if (account) return `The account ${account} is not configured any more`;
      if (unlinked) return "The click's store has no network";
      return "The click is of a store of another network or account";
    },
    pt: ({ account, unlinked }) => {
      if (account) return `A conta ${account} não está mais configurada`;
      if (unlinked) return "A loja do clique ainda não tem rede";
      return "O clique é de uma loja de outra rede ou conta";
    },
  },
  other_store: {
    en: ({ advertiser }) => `The network names another store than the click's${advertiser ? `: ${advertiser}` : ""}`,
    pt: ({ advertiser }) => `A rede indica outra loja, não a do clique${advertiser ? `: ${advertiser}` : ""}`,
  },
  buyer_changed: {
    en: () => "The network now names another buyer's click",
    pt: () => "A rede agora indica outro clique",
  },
  too_many: {
    en: ({ limit }) => `${limit ? `More than ${limit}` : "Too many"} sales of one wallet in a day`,
    pt: ({ limit }) => `A carteira ${limit ? `passou de ${limit} vendas` : "teve vendas demais"} no mesmo dia`,
  },
  too_high: {
    en: () => "The amount is above SALE_MAX_REAIS",
    pt: ({ limit }) => `O valor passa do máximo por venda${limit ? `, de ${reais(limit)}` : ""}`,
  },
  too_fast: {
    en: ({ seconds }) =>
      seconds ? `The sale is less than ${seconds} seconds after the click` : "The sale is too soon after the click",
    pt: ({ seconds }) =>
      seconds
        ? `A venda veio menos de ${seconds} segundos depois do clique`
        : "A venda veio cedo demais depois do clique",
  },
  order_twice: {
    en: () => "The same order was reported more than once",
    pt: () => "O mesmo pedido foi avisado mais de uma vez",
  },
  other_ticket: {
    en: ({ tickets }) => `The chain has a ticket of this sale for another buyer or store: ${tickets}`,
    pt: ({ tickets }) => `A rede já tem um ingresso desta venda para outra carteira ou loja: ${tickets}`,
  },
  likely_ticket: {
    en: ({ tickets }) =>
      `The chain probably has a ticket of this sale, with a reference that no key explains: ${tickets}`,
    pt: ({ tickets }) => `A rede provavelmente já tem o ingresso desta venda, com uma referência ilegível: ${tickets}`,
  },
  low_commission: {
    en: () => "The commission is below the cashback",
    pt: ({ commission, cashback }) =>
      `A comissão${inBrackets(commission)} é menor que o cashback${inBrackets(cashback)}`,
  },
};

/** Reasons with their figures as a sentence each. */
export function sayHolds(
  holds: readonly { reason: HoldReason; figures: HoldFigures }[],
  language: HoldLanguage,
): string {
  return holds.map(({ reason, figures }) => HOLD_WORDS[reason][language](figures)).join(". ");
}

function reais(cents: string): string {
  return new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" })
    .format(Number(cents) / 100)
    .replaceAll("\u00a0", " ");
}

const inBrackets = (cents: string | undefined): string => (cents === undefined ? "" : ` (${reais(cents)})`);

/** What can be wrong with a network's report. */
export const PROBLEM_CODES = [
  "not_object",
  "missing",
  "odd",
  "unread",
  "negative",
  "negative_part",
  "parts_exceed",
  "tracked_stays",
  "unknown_status",
  "said",
] as const;
export const PROBLEM_FIGURES = ["field", "value", "before", "brl"] as const;
/** A field is named as its network does, and a value is as its network sent it. */
export type ReportProblem = { code: (typeof PROBLEM_CODES)[number] } & {
  [Figure in (typeof PROBLEM_FIGURES)[number]]?: string;
};

/** The panel speaks Portuguese; operators read English in the database. */
export type HoldLanguage = "pt" | "en";

const PROBLEM_WORDS: Record<ReportProblem["code"], Record<HoldLanguage, (problem: ReportProblem) => string>> = {
  not_object: {
    en: ({ field }) => `${field || "the row"} is not an object`,
    pt: ({ field }) => `${field || "a linha"} não tem a forma combinada`,
  },
  missing: { en: ({ field }) => `${field} is missing`, pt: ({ field }) => `falta ${field}` },
  odd: { en: ({ field, value }) => `${field} is ${value}`, pt: ({ field, value }) => `${field} veio como ${value}` },
  unread: { en: () => "an amount cannot be read", pt: () => "um dos valores não pôde ser lido" },
  negative: { en: () => "the amount is negative", pt: () => "o valor é negativo" },
  negative_part: { en: () => "a part is negative", pt: () => "uma das partes é negativa" },
  parts_exceed: {
    en: () => "the parts are more than the whole",
    pt: () => "as partes somam mais que o total",
  },
  tracked_stays: {
    en: ({ value, before, brl }) => `${value} for ${before} beside an unchanged ${brl} BRL`,
    pt: ({ value, before, brl }) => `${value} por ${before} com os mesmos ${brl} reais`,
  },
  unknown_status: { en: () => "the status is not known", pt: () => "a situação não é conhecida" },
  /** Of an earlier version, which kept a sentence. */
  said: { en: ({ value = "" }) => value, pt: ({ value = "" }) => value },
};

export function sayProblems(problems: readonly ReportProblem[], language: HoldLanguage): string {
  return problems.map((problem) => PROBLEM_WORDS[problem.code][language](problem)).join("; ");
}
