/*
 * Keeps the books of sales a second time, from nothing but reports, clicks, rates and decisions by staff. It shares no
 * code with the product: every figure that the product must arrive at is derived here anew, in the simplest way.
 * docs/product.md#sales-decision
 */

/**
 * Percents are in basis points. `invite`: what an invitation adds to the first sale of the visit; to an inviter's as long as
 * the first sale of the friend's visit is not returned. docs/product.md#invite. `bonus` is on top of `bps`; `commission`: what
 * the network was known to pay then.
 */
export type Visit = {
  number: number;
  wallet: string;
  bps: bigint;
  bonus?: bigint;
  commission?: bigint;
  store: Store;
  invite?: { bps: bigint; friend: number | null };
};
/** R$ 10. */
const MOST_OF_AN_INVITE = 10_000_000n;
export type Store = "first" | "second";

export type ReportFacts = {
  /** Undefined: the report names no click. */
  visit: Visit | undefined;
  /** Which store sold it. */
  store: Store;
  status: "pending" | "approved" | "declined";
  /** Null: the network has no word for it, and nothing is waited for. */
  payable: boolean | null;
  /** Hundredths of its currency; null if it cannot be read. */
  cents: bigint | null;
  currency: string;
  /** What the network says it is in reais, in centavos. */
  brlCents: bigint | null;
  /** What the network pays for it, in basis points of an amount in reais; null: it does not say. */
  pays: bigint | null;
  drift: string | null;
};

/** What a network says of a sale now; `isSince`: and did not say then. */
export type Reading = { key: string; order: string; facts: ReportFacts; isSince: boolean };

type Tracked = { brlCents: bigint; cents: bigint; currency: string };

/** Nobody can release what another store sold: staff say whose visit it was. */
const OTHER_STORE = "another store";
/** Nor what is of an account that nobody reads any more. */
const GONE = "the account is gone";
const LOSS = "below the cashback";

/**
 * A percent that follows a commission, by what its network said and people agreed to. docs/product.md#followed-percent
 */
export class FollowedPercent {
  bps: bigint;
  commission: bigint | undefined;
  /** What waits for a person. */
  proposed: bigint | null = null;
  /** Nothing is paid: nobody can go to the store. */
  isPaused = false;
  #agreed: bigint;

  constructor(agreedBps: bigint) {
    this.bps = agreedBps;
    this.#agreed = agreedBps;
  }

  /** A round read this commission. Buyers get 60 % of it, in quarters of a percent. */
  said(commission: bigint): void {
    this.commission = commission;
    this.isPaused = commission === 0n;
    if (this.isPaused) return;
    const wanted = (commission * 60n) / 100n - (((commission * 60n) / 100n) % 25n);
    this.proposed = wanted > this.#agreed ? wanted : null;
    this.bps = lower(wanted, this.#agreed);
  }

  agree(): void {
    if (this.proposed === null) return;
    this.#agreed = this.proposed;
    this.bps = this.proposed;
    this.proposed = null;
  }
}

/** Entitlements are in centavos × basis points. */
class SaleBook {
  visit: Visit | undefined;
  last: ReportFacts | undefined;
  order: string;
  moves = 0;
  /** A payout is queued, which nobody has sent. */
  isQueued = false;
  isDeclinedByStaff = false;
  /** Its payout was queued first of its order, and it is entitled to something ever since. */
  hasOrder = false;
  /** Staff held its purchases and let them go on: for which visit, and how much it was entitled to then. */
  letGo: { visit: number | undefined; units: bigint } | null = null;
  /** It exceeded that since: held again, until staff let it go on. */
  isStopped = false;
  /** What the network named when staff assigned the sale: it does not move there. */
  assignedOver: { visit: number | undefined } | null = null;
  /** What staff let go on: why it was held, for which visit, and how much it was entitled to then. */
  readonly released: { reason: string; visit: Visit | undefined; units: bigint }[] = [];
  /** The rate of each currency in which it was reported, in millionths of a real. */
  readonly rates = new Map<string, bigint>();
  tracked: Tracked | null = null;
  isKnown = false;
  entitled = 0n;
  /** How much of its cashback above the commission it went on with. */
  lost = 0n;
  /** What was confirmed at which rate (wei per centavo), lowest first. */
  confirmed: { units: bigint; weiPerCent: bigint }[] = [];
  /**
   * The least and the most that counts as paid or kept. They differ while a debt of a restored sale waits to be lifted:
   * how much of it other purchases have already paid back is not written in these books.
   */
  least = 0n;
  most = 0n;
  /** The most that ever was. */
  highest = 0n;

  constructor(order: string) {
    this.order = order;
  }

  /** What was paid since, at the rate of its confirmation or at this one. */
  add(gwei: bigint, weiPerCent: bigint): void {
    const paid = this.gwei(this.least) + gwei;
    while (gwei > 0n && this.gwei(this.least) < paid) {
      const missing = ((paid - this.gwei(this.least)) * 10n ** 13n) / weiPerCent;
      const known = this.confirmed.reduce((sum, part) => sum + part.units, 0n);
      this.least += missing;
      if (this.least > known) this.confirmed.push({ units: this.least - known, weiPerCent });
    }
    this.most = this.least;
    if (this.least > this.highest) this.highest = this.least;
  }

  /** Of the chain: what is confirmed is paid at its rate, the rest at this one. */
  addPaid(gwei: bigint, weiPerCent: bigint): void {
    const before = this.least;
    let [rest, known] = [gwei, 0n];
    for (const part of this.confirmed) {
      known += part.units;
      const open = known > this.least ? known - this.least : 0n;
      const most = (open * part.weiPerCent) / 10n ** 13n;
      const taken = rest < most ? (rest * 10n ** 13n) / part.weiPerCent : open;
      this.least += taken;
      rest -= (taken * part.weiPerCent) / 10n ** 13n;
    }
    const units = (rest * 10n ** 13n) / weiPerCent;
    if (units > 0n) this.confirmed.push({ units, weiPerCent });
    this.least += units;
    this.most += this.least - before;
    if (this.least > this.highest) this.highest = this.least;
  }

  get confirmedUnits(): bigint {
    return this.confirmed.reduce((sum, part) => sum + part.units, 0n);
  }

  get isPaid(): boolean {
    return this.highest > 0n;
  }

  /** The visit that the last report names, if it is neither the sale's own nor the one that staff assigned it over. */
  get other(): Visit | undefined {
    const named = this.last?.visit;
    if (!named || named.number === this.visit?.number) return undefined;
    return this.assignedOver?.visit === named.number ? undefined : named;
  }

  get isDeclined(): boolean {
    return this.isDeclinedByStaff || this.last?.status === "declined";
  }

  /** An entitlement in gwei: each part at the rate of its first confirmation. */
  gwei(units: bigint): bigint {
    let [sum, rest] = [0n, units];
    for (const part of this.confirmed) {
      const taken = rest < part.units ? rest : part.units;
      sum += (taken * part.weiPerCent) / 10n ** 13n;
      rest -= taken;
    }
    return sum;
  }
}

export class Bookkeeper {
  readonly sales = new Map<string, SaleBook>();
  /** Millionths of a real by currency; a currency that is missing has no rate. */
  readonly rates = new Map<string, bigint>();
  weiPerCent = 0n;
  isAccountGone = false;
  /** From what loss on of all these sales the next one is held. */
  lossLimit = 0n;
  /** The first sale of each visit that carries an invitation. */
  readonly #first = new Map<number, string>();

  open(key: string, order: string): SaleBook {
    const sale = this.sales.get(key) ?? new SaleBook(order);
    this.sales.set(key, sale);
    return sale;
  }

  reported(key: string, order: string, report: ReportFacts): void {
    const sale = this.open(key, order);
    sale.last = report;
    const rate = this.rates.get(report.currency);
    if (rate !== undefined && !sale.rates.has(report.currency)) sale.rates.set(report.currency, rate);
    if (!isContradictory(report, sale.tracked)) sale.tracked = trackedAfter(report, sale.tracked);
    const isBound = sale.isPaid || sale.isQueued;
    if (sale.other && sale.visit && isBound) sale.moves = 2;
    sale.isQueued = false;
    if (this.#isMoving(sale)) {
      if (sale.visit) sale.moves += 1;
      if (sale.visit) sale.assignedOver = null;
      if (sale.visit?.wallet !== report.visit?.wallet) sale.confirmed = [];
      sale.visit = report.visit;
    }
    this.#judge(sale);
  }

  copy(): Bookkeeper {
    const { weiPerCent, isAccountGone, lossLimit } = this;
    const copy = Object.assign(new Bookkeeper(), { weiPerCent, isAccountGone, lossLimit });
    for (const [currency, rate] of this.rates) copy.rates.set(currency, rate);
    for (const [visit, key] of this.#first) copy.#first.set(visit, key);
    for (const [key, sale] of this.sales)
      copy.sales.set(key, Object.assign(new SaleBook(sale.order), structuredClone({ ...sale })));
    return copy;
  }

  /**
   * These books, if they were restored: the chain has paid this much of each sale since, at the rate of then, and the
   * networks are read again, one sale after the other. What people said since is forgotten. docs/product.md#sale-ref
   */
  readAgain(paidSince: ReadonlyMap<string, bigint>, readings: readonly Reading[], isAccountGone: boolean): Bookkeeper {
    const books = this.copy();
    books.started(isAccountGone);
    for (const { key, order, facts, isSince } of readings) {
      const isKnown = books.sales.has(key);
      const add = () => books.open(key, order).addPaid(paidSince.get(key) ?? 0n, this.weiPerCent);
      if (isKnown) add();
      if (isSince) books.reported(key, order, facts);
      // Its first report says whose it is.
      if (!isKnown) add();
    }
    books.#judge();
    // Whose order it was is not on the chain: it is that of the one that is known, or read first.
    for (const sale of books.sales.values()) if (sale.least > 0n) books.#take(sale);
    books.#judge();
    return books;
  }

  released(key: string): void {
    const sale = this.#sale(key);
    for (const reason of this.#reasons(sale)) {
      if (reason !== OTHER_STORE && reason !== GONE)
        sale.released.push({ reason, visit: sale.visit, units: sale.entitled });
    }
    this.#judge();
  }

  /** Staff say whose visit it was. */
  assigned(key: string, visit: Visit): void {
    const sale = this.#sale(key);
    sale.assignedOver = { visit: sale.last?.visit?.number };
    if (sale.visit?.wallet !== visit.wallet) sale.confirmed = [];
    sale.visit = visit;
    this.#judge();
  }

  /** Until the next report: from then on, the sale no longer moves. */
  queued(key: string): void {
    this.#sale(key).isQueued = true;
    this.took(key);
  }

  /** Its payout is queued: the order is its own. */
  took(key: string): void {
    this.#take(this.#sale(key));
  }

  /** What is paid of the order beside the sale whose it is, a person released. */
  #take(sale: SaleBook): void {
    sale.hasOrder ||= sale.entitled > 0n && !this.#others(sale).some(({ hasOrder }) => hasOrder);
  }

  letGo(key: string): void {
    const sale = this.#sale(key);
    sale.letGo = { visit: sale.visit?.number, units: sale.isKnown ? sale.entitled : 0n };
    sale.isStopped = false;
    this.#judge();
  }

  started(isAccountGone: boolean): void {
    this.isAccountGone = isAccountGone;
    this.#judge();
  }

  mayLose(limit: bigint): void {
    this.lossLimit = limit;
    this.#judge();
  }

  declined(key: string): void {
    this.#sale(key).isDeclinedByStaff = true;
    this.#judge();
  }

  /** Everything that may happen has happened, at one rate. */
  quiet(): void {
    for (const sale of this.sales.values()) {
      if (sale.last?.status !== "approved" || sale.isDeclined || !sale.visit || sale.isStopped || this.isHeld(sale))
        continue;
      const known = sale.confirmedUnits;
      if (sale.entitled > known) {
        sale.confirmed.push({ units: sale.entitled - known, weiPerCent: this.weiPerCent });
      }
      if (sale.last.payable === false) continue;
      sale.least = sale.entitled;
      sale.most = sale.entitled;
      this.#take(sale);
      if (sale.entitled > sale.highest) sale.highest = sale.entitled;
    }
    this.#judge();
  }

  isHeld(sale: SaleBook): boolean {
    return !sale.isDeclined && (!sale.isKnown || this.#holding(sale).length > 0);
  }

  /** The reasons that nobody released. */
  #holding(sale: SaleBook): string[] {
    const isReleased = (reason: string) =>
      sale.released.some(
        (one) => one.reason === reason && one.visit?.number === sale.visit?.number && sale.entitled <= one.units,
      );
    return this.#reasons(sale).filter((reason) => !isReleased(reason));
  }

  canRelease(key: string): boolean {
    const sale = this.#sale(key);
    const isOfOther = this.#reasons(sale).some((one) => one === OTHER_STORE || one === GONE);
    return sale.visit !== undefined && sale.isKnown && !sale.isDeclined && !isOfOther && this.isHeld(sale);
  }

  /** What a wallet has been paid or credited by now, in gwei. */
  settled(wallet: string): { least: bigint; most: bigint } {
    const own = [...this.sales.values()].filter((sale) => sale.visit?.wallet === wallet);
    return {
      least: own.reduce((sum, sale) => sum + sale.gwei(sale.least), 0n),
      most: own.reduce((sum, sale) => sum + sale.gwei(sale.most), 0n),
    };
  }

  /**
   * What all purchases of a wallet are worth, in gwei: what is confirmed at its rate, the rest at the present one.
   * Undefined while a sale is held, or while a debt waits to be lifted.
   */
  worth(wallet: string): bigint | undefined {
    const own = [...this.sales.values()].filter((sale) => sale.visit?.wallet === wallet);
    if (own.some((sale) => this.isHeld(sale) || sale.least !== sale.most)) return undefined;
    return own.reduce((sum, sale) => {
      const known = sale.confirmedUnits;
      const open = sale.entitled > known ? sale.entitled - known : 0n;
      return sum + sale.gwei(sale.entitled) + (open * this.weiPerCent) / 10n ** 13n;
    }, 0n);
  }

  #sale(key: string): SaleBook {
    const sale = this.sales.get(key);
    if (!sale) throw new Error(`No sale ${key}`);
    return sale;
  }

  /** The sale belongs to the click that the last read names, until it is paid, or has moved twice, or no longer could. */
  #isMoving(sale: SaleBook): boolean {
    if (!sale.other) return false;
    return !sale.visit || (!sale.isPaid && sale.moves < 2);
  }

  /** After any fact: what is entitled, and what of the paid stays so. A hold never delays what is owed to us. */
  #judge(told?: SaleBook): void {
    for (const [key, { visit }] of this.sales)
      if (visit?.invite && !this.#first.has(visit.number)) this.#first.set(visit.number, key);
    for (const [key, sale] of this.sales) {
      const centavos = sale.isDeclined ? 0n : centavosOf(sale);
      sale.isKnown = centavos !== undefined;
      if (centavos !== undefined)
        sale.entitled = centavos * percentOf(sale.visit) + this.#invited(key, sale.visit, centavos);
      if (centavos !== undefined && sale.entitled === 0n) sale.hasOrder = false;
      const { letGo } = sale;
      if (letGo && sale.isKnown && (sale.entitled > letGo.units || sale.visit?.number !== letGo.visit))
        sale.isStopped = true;
      sale.least = lower(sale.least, sale.entitled);
    }
    this.#takeLosses(told);
    for (const sale of this.sales.values()) {
      // Once it was paid, other purchases may have paid back any part of its debt: then all of it may be lifted again.
      const lifted = sale.isPaid ? sale.entitled : sale.highest;
      sale.most = lower(this.isHeld(sale) ? sale.most : lifted, sale.entitled);
    }
  }

  /**
   * First counts what is no longer lost; then what was told, and after it each that waits, takes what it needs while all have
   * lost less than the limit. docs/product.md#margin-loss
   */
  #takeLosses(told: SaleBook | undefined): void {
    const all = [...this.sales.values()];
    for (const sale of all) sale.lost = lower(sale.lost, lossOf(sale));
    for (const sale of told ? [told, ...all] : all) {
      const sum = all.reduce((total, { lost }) => total + lost, 0n);
      const mayTake = isExpected(sale) && sum < this.lossLimit && sale.isKnown;
      const isAlone = this.#holding(sale).every((reason) => reason.startsWith(LOSS));
      if (!this.isHeld(sale) || (mayTake && isAlone)) sale.lost = lossOf(sale);
    }
  }

  #invited(key: string, visit: Visit | undefined, centavos: bigint): bigint {
    if (!visit?.invite || this.#first.get(visit.number) !== key) return 0n;
    const { bps, friend } = visit.invite;
    const ofFriend = friend === null ? undefined : this.sales.get(this.#first.get(friend) ?? "");
    return ofFriend?.isDeclined ? 0n : lower(centavos * bps, MOST_OF_AN_INVITE);
  }

  #reasons(sale: SaleBook): string[] {
    const { last, visit, tracked } = sale;
    if (!last) return [];
    const reasons: string[] = [];
    const isGone = last.brlCents === null && last.currency === tracked?.currency;
    const isStanding =
      tracked !== null &&
      last.cents !== null &&
      last.currency !== "BRL" &&
      (last.currency !== tracked.currency || last.cents > tracked.cents) &&
      last.brlCents === tracked.brlCents;
    const isOdd = isGone || isStanding;
    const odd = isOdd ? `${last.currency} ${last.cents} for ${tracked.currency} ${tracked.cents}` : null;
    if (last.drift !== null || isOdd) reasons.push(`drift ${last.drift} ${odd}`);
    if (visit && this.isAccountGone) reasons.push(GONE);
    const loss = lossOf(sale);
    const isTaken = isExpected(sale) && loss <= sale.lost;
    if (visit && loss > 0n && !isTaken) reasons.push(`${LOSS}: ${commissionOf(last)} ${sale.entitled / 10_000n}`);
    if (sale.other && visit) reasons.push(`visit ${sale.other.number}`);
    if (visit && last.store !== visit.store) reasons.push(OTHER_STORE);
    if (!sale.hasOrder && visit && this.#others(sale).length > 0) reasons.push("order");
    return reasons;
  }

  /** Others of its order, but its parts. */
  #others(sale: SaleBook): SaleBook[] {
    const isOther = (one: SaleBook) => one !== sale && one.order === sale.order && one.visit && !one.isDeclined;
    return [...this.sales.values()].filter((one) => isOther(one) && one.visit?.number !== sale.visit?.number);
  }
}

const percentOf = (visit: Visit | undefined): bigint => (visit?.bps ?? 0n) + (visit?.bonus ?? 0n);

/** In whole centavos; undefined if it is not known. */
function commissionOf({ pays, currency, cents }: ReportFacts): bigint | undefined {
  return pays === null || currency !== "BRL" || cents === null ? undefined : (cents * pays) / 10_000n;
}

/** By how much the commission is below the cashback; as much as before if nobody can say. */
function lossOf({ last, visit, isDeclined, isKnown, entitled, lost }: SaleBook): bigint {
  if (isDeclined || !visit || !last) return 0n;
  if (!isKnown) return lost;
  const commission = commissionOf(last);
  if (commission === undefined || entitled <= commission * 10_000n) return 0n;
  return entitled - commission * 10_000n;
}

/** The percent alone is within what the network pays, or paid at the visit: only a bonus or a later fall can lose. */
function isExpected({ last, visit }: SaleBook): boolean {
  if (!last || !visit || last.cents === null) return false;
  const promised = last.cents * visit.bps;
  return promised <= (commissionOf(last) ?? 0n) * 10_000n || promised <= last.cents * (visit.commission ?? 0n);
}

/** The first amount beside a figure in reais. */
function trackedAfter({ currency, cents, brlCents }: ReportFacts, before: Tracked | null): Tracked | null {
  if (cents === null || brlCents === null || currency === "BRL") return before;
  return before?.brlCents === brlCents ? before : { brlCents, cents, currency };
}

/** The figures contradict each other, or are none: something beside nothing, unless all that was had fallen to nothing. */
function isContradictory({ cents, currency, brlCents }: ReportFacts, before: Tracked | null): boolean {
  if (cents === null) return true;
  if (brlCents === null || currency === "BRL") return false;
  if (brlCents === before?.brlCents && currency === before.currency && cents <= before.cents) return false;
  return cents > 0n !== brlCents > 0n;
}

/** Undefined if nobody can say. */
function centavosOf({ last, rates, tracked }: SaleBook): bigint | undefined {
  if (!last || last.cents === null || isContradictory(last, tracked)) return undefined;
  if (last.currency === "BRL") return last.cents;
  const isSame = tracked !== null && last.currency === tracked.currency && tracked.cents > 0n;
  const isLess = last.brlCents === tracked?.brlCents && last.cents < (tracked?.cents ?? 0n);
  if (isSame && (last.brlCents === null || isLess)) return (tracked.brlCents * last.cents) / tracked.cents;
  if (last.brlCents !== null) return last.brlCents;
  const rate = rates.get(last.currency);
  return rate === undefined ? undefined : (last.cents * rate) / 1_000_000n;
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
