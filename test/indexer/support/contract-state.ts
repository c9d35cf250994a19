import { DAY_SECONDS } from "../../../core/rules/iso-time.ts";
import { CHAIN_STATUS } from "../../../core/rules/purchase/life.ts";

/** An event of one contract, with the time of its block in seconds. Its arguments have the contract's own names. */
export type SaidEvent = { event: string; arguments: Readonly<Record<string, string>>; at: number };

export type TicketRecord = {
  /** The zero address once it is burnt. */
  buyer: string;
  storeId: number;
  valueCents: bigint;
  baseBps: number;
  bonusBps: number;
  status: number;
};

export type StoreOnChain = { name: string; first: number; second: number; pattern: number };

const NOBODY = `0x${"0".repeat(40)}`;
const ADMIN_ROLE = `0x${"0".repeat(64)}`;

/**
 * The storage of one contract as its events tell it, of tickets or of a distributor. No event tells the first delay of an
 * admin's transfer, and, without a predecessor, whose tickets a distributor pays; 1.0.0's contracts do not tell their
 * predecessor either. docs/contracts.md#what-the-events-tell
 */
export class ContractState {
  /** Role → holders. */
  readonly roles = new Map<string, Set<string>>();
  readonly roleAdmins = new Map<string, string>();
  pendingAdmin: { admin: string; from: number } | undefined;
  /** Delays of the admin's transfer that were set after the first, and after which time each holds. */
  readonly #delays: { seconds: number; after: number }[] = [];
  isPaused = false;
  predecessor = NOBODY;
  readonly recovered = new Map<string, bigint>();

  siteUrl = "";
  descriptor = NOBODY;
  distributor = NOBODY;
  readonly stores = new Map<number, StoreOnChain>();
  readonly metadataUris = new Map<bigint, string>();
  readonly tickets = new Map<bigint, TicketRecord>();
  readonly held = new Map<string, bigint>();
  readonly burnt = new Map<string, bigint>();

  limits = { maxWeiPerCent: 0n, maxPayout: 0n, dailyCap: 0n };
  isRetired = false;
  ticketsPaid: string | undefined;
  readonly paid = new Set<bigint>();
  readonly credits = new Map<string, bigint>();
  /** Day since 1970 → wei. */
  readonly #spent = new Map<number, bigint>();
  /** Without what came other than by a transfer. */
  balance = 0n;

  /** In the chain's order. */
  static of(events: Iterable<SaidEvent>): ContractState {
    const state = new ContractState();
    for (const event of events) state.#apply(event);
    return state;
  }

  get admin(): string | undefined {
    return [...(this.roles.get(ADMIN_ROLE) ?? [])][0];
  }

  /** The delay that holds at this time; undefined: the first one, which no event tells. */
  delayAt(at: number): number | undefined {
    return this.#delays.findLast(({ after }) => after < at)?.seconds;
  }

  /** The delay that will hold. */
  pendingDelayAt(at: number): { seconds: number; after: number } | undefined {
    return this.#delays.find(({ after }) => after >= at);
  }

  get totalCredit(): bigint {
    return [...this.credits.values()].reduce((sum, wei) => sum + wei, 0n);
  }

  /** What is paid or credited on the day of this time, in seconds. */
  spentOn(at: number): bigint {
    return this.#spent.get(Math.floor(at / DAY_SECONDS)) ?? 0n;
  }

  #apply(said: SaidEvent): void {
    this.#applyRule(said);
    this.#applyTicket(said);
    this.#applyMoney(said);
  }

  #applyRule({ event, arguments: { role = "", account = "", ...more }, at }: SaidEvent): void {
    const holders = this.roles.get(role) ?? new Set<string>();
    switch (event) {
      case "RoleGranted":
        this.roles.set(role, holders.add(account));
        // Taken over: the offer is gone, without another event.
        if (role === ADMIN_ROLE && this.pendingAdmin?.admin === account) this.pendingAdmin = undefined;
        break;
      case "RoleRevoked":
        holders.delete(account);
        // Given up: the offer to nobody is gone.
        if (role === ADMIN_ROLE && this.pendingAdmin?.admin === NOBODY) this.pendingAdmin = undefined;
        break;
      case "RoleAdminChanged":
        this.roleAdmins.set(role, more.newAdminRole ?? "");
        break;
      case "DefaultAdminTransferScheduled":
        this.pendingAdmin = { admin: more.newAdmin ?? "", from: Number(more.acceptSchedule) };
        break;
      case "DefaultAdminTransferCanceled":
        this.pendingAdmin = undefined;
        break;
      case "DefaultAdminDelayChangeScheduled":
        this.#delays.push({ seconds: Number(more.newDelay), after: Number(more.effectSchedule) });
        break;
      case "DefaultAdminDelayChangeCanceled":
        this.#delays.pop();
        break;
      case "Paused":
        this.isPaused = true;
        break;
      case "Unpaused":
        this.isPaused = false;
        break;
      case "Succeeded":
        this.predecessor = more.predecessor ?? "";
        this.ticketsPaid = more.tickets;
        add(this.#spent, Math.floor(at / DAY_SECONDS), BigInt(more.spentToday ?? 0));
        break;
      case "LimitsSet":
        this.limits = {
          maxWeiPerCent: BigInt(more.maxWeiPerCent ?? 0),
          maxPayout: BigInt(more.maxPayout ?? 0),
          dailyCap: BigInt(more.dailyCap ?? 0),
        };
        break;
      case "Retired":
        this.isRetired = true;
        break;
    }
  }

  #applyTicket({ event, arguments: said }: SaidEvent): void {
    const tokenId = BigInt(said.tokenId ?? said.id ?? 0);
    const store = this.stores.get(Number(said.storeId)) ?? { name: "", first: 0, second: 0, pattern: 0 };
    const setStore = (changed: Partial<StoreOnChain>) =>
      this.stores.set(Number(said.storeId), { ...store, ...changed });
    switch (event) {
      case "SiteUrlSet":
        this.siteUrl = said.siteUrl ?? "";
        break;
      case "DescriptorSet":
        this.descriptor = said.descriptor ?? "";
        break;
      case "DistributorSet":
        this.distributor = said.distributor ?? "";
        break;
      case "StoreRegistered":
      case "StoreRenamed":
        setStore({ name: said.name ?? "" });
        break;
      case "StoreColourSet":
        setStore({ first: Number(said.colour) });
        break;
      case "StoreLookSet":
        setStore({ first: Number(said.first), second: Number(said.second), pattern: Number(said.pattern) });
        break;
      case "MetadataUriSet":
        this.metadataUris.set(tokenId, said.metadataUri ?? "");
        break;
      case "MetadataUriCleared":
        this.metadataUris.delete(tokenId);
        break;
      case "PurchaseMinted":
        add(this.held, said.buyer ?? "", 1n);
        this.tickets.set(tokenId, {
          buyer: said.buyer ?? "",
          storeId: Number(said.storeId),
          valueCents: BigInt(said.valueCents ?? 0),
          baseBps: Number(said.baseBps),
          bonusBps: Number(said.bonusBps),
          status: CHAIN_STATUS.pending,
        });
        break;
      case "StatusUpdated":
        Object.assign(this.tickets.get(tokenId) ?? {}, { status: Number(said.to) });
        break;
      case "Transfer":
        if (said.to !== NOBODY) break;
        Object.assign(this.tickets.get(tokenId) ?? {}, { buyer: NOBODY });
        add(this.held, said.from ?? "", -1n);
        add(this.burnt, said.from ?? "", 1n);
        break;
    }
  }

  #applyMoney({ event, arguments: said, at }: SaidEvent): void {
    const wei = BigInt(said.amount ?? 0);
    switch (event) {
      case "Funded":
        this.balance += wei;
        break;
      case "Swept":
        this.balance -= wei;
        break;
      case "Recovered":
        add(this.recovered, said.token ?? "", wei);
        break;
      case "CashbackPaid":
      case "CashbackDeferred":
        this.paid.add(BigInt(said.purchaseId ?? 0));
        add(this.#spent, Math.floor(at / DAY_SECONDS), wei);
        if (event === "CashbackPaid") this.balance -= wei;
        else add(this.credits, said.recipient ?? "", wei);
        break;
      case "CreditWithdrawn":
        this.credits.delete(said.recipient ?? "");
        this.balance -= wei;
        break;
    }
  }
}

function add<Key>(sums: Map<Key, bigint>, key: Key, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}
