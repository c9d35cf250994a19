import { insertStore } from "../../../core/catalogue/store-rows.ts";
import type { Revert } from "../../../core/chain/revert.ts";
import type { Database } from "../../../core/database/connect.ts";
import type { OperationKind } from "../../../core/database/operations.ts";
import { inTransaction } from "../../../core/database/transaction.ts";
import { wakeAccounts } from "../../../core/purchases/account-books.ts";
import type { ApprovalRules } from "../../../core/purchases/approvals.ts";
import { purchaseEncoders } from "../../../core/purchases/encoders.ts";
import { planNextSteps } from "../../../core/purchases/next-step.ts";
import { recountPurchases } from "../../../core/purchases/purchase-rows.ts";
import { fixedRate } from "../../../core/rates/rate-source.ts";
import { idsOf } from "../../../core/rules/records.ts";
import type { SaleReport } from "../../../core/rules/sale/report.ts";
import type { SaleRules } from "../../../core/rules/sale/rules.ts";
import type { ClickTerms } from "../../../core/rules/sale/value.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { type Click, insertClicks } from "../../../core/sales/clicks.ts";
import { releaseSale } from "../../../core/sales/decisions.ts";
import { saleRefsBy } from "../../../core/sales/environment.ts";
import { storeReport } from "../../../core/sales/reports.ts";
import type { Verdict } from "../../../core/sender/encoder.ts";
import type { Operation } from "../../../core/sender/queue.ts";
import { insertTransaction } from "../../../core/sender/transactions.ts";
import { skipIds } from "../../../scripts/backup/next-ids.ts";
import { type DatabaseCopy, putBack } from "../../testing/database-copy.ts";
import { standIn } from "../../testing/stand-in.ts";

export const WEI_PER_CENT = 10n ** 16n;
export const ACCOUNT = { network: "awin", account: "br" };
export const RULES: SaleRules = {
  limits: { salesPerDay: 100n, maximumCents: 1_000_000n, minimumSeconds: 5n, marginLossCents: 0n },
  mintDelayMs: 0n,
  holdMs: 0n,
  accounts: [ACCOUNT],
  fx: { url: undefined, fixed: new Map([["USD", 5_000_000n]]) },
  saleRefs: saleRefsBy([`0x${"5a".repeat(32)}`]),
};
const TERMS: ClickTerms = { groups: { fashion: 700n }, defaultBps: 500n, bonusBps: 0n };

const NOBODY: WalletAddress = `0x${"0".repeat(40)}`;
/** What is on the chain, as the index has it. */
const OF_THE_CHAIN = new Set(["nfts", "payouts", "chain_cursor"] as const);

type Due = {
  kind: OperationKind;
  purchase: bigint;
  wallet: WalletAddress;
  store_id: bigint;
  amount_cents: bigint;
  cashback_bps: bigint;
  bonus_bps: bigint;
  sale_ref: bigint;
  amount_gwei: bigint | null;
  wei_per_cent: bigint | null;
};

/**
 * A shop with its database and a chain that executes the outbox immediately: tests the effect of sales on the books
 * without a node.
 */
export class Shop {
  readonly database: Database;
  readonly storeId: bigint;
  /** The rate at which purchases are confirmed from now on. */
  weiPerCent = WEI_PER_CENT;
  /** The rules by which the planner decides. */
  rules = RULES;
  approvals: ApprovalRules = { aboveGwei: undefined, roleOf: () => undefined };
  /** Whether wallets refuse what is paid to them now. */
  isRefused = false;
  #block = 1n;
  #nonce = 0n;

  private constructor(database: Database, storeId: bigint) {
    this.database = database;
    this.storeId = storeId;
  }

  static async open(database: Database): Promise<Shop> {
    const store = { name: "Loja", country: "Brasil", network: "awin", account: "br", advertiser_id: "17000" };
    const storeId = await insertStore(database.kysely, store);
    await database.kysely.insertInto("chain_cursor").values({ id: 1n, block_number: 1n, block_hash: "0x1" }).execute();
    return new Shop(database, storeId);
  }

  async buyer(digit: string): Promise<WalletAddress> {
    const wallet: WalletAddress = `0x${digit.repeat(40)}`;
    await this.database.kysely
      .insertInto("users")
      .values({ wallet, email: "a@b.c", first_name: "A", last_name: "B", created_at: 1n })
      .execute();
    return wallet;
  }

  async click(wallet: WalletAddress, terms: ClickTerms = TERMS, storeId = this.storeId): Promise<Click> {
    const click = {
      wallet,
      storeId,
      storeName: "Loja",
      tokenSlug: null,
      balanceBlock: null,
      terms,
      clickedAt: BigInt(Date.now()),
      windowMs: 86_400_000n,
    };
    const [inserted] = await insertClicks(this.database.kysely, [click]);
    return inserted as Click;
  }

  async read(report: SaleReport, rules = RULES, key = ACCOUNT) {
    return inTransaction(this.database.kysely, (queries) => storeReport(queries, key, report, rules));
  }

  /** Releases a sale for the reasons that hold it now. */
  async release(saleKey: string, rules = RULES) {
    const sale = await this.sale(saleKey);
    const seen = { revision: sale.revision_id ?? undefined, holds: sale.hold_reasons.split(" ") };
    return inTransaction(this.database.kysely, (queries) =>
      releaseSale(queries, sale.id, { rules, actor: "admin", ...seen }),
    );
  }

  sale(saleKey: string) {
    return this.database.kysely
      .selectFrom("sales")
      .selectAll()
      .where("sale_key", "=", saleKey)
      .executeTakeFirstOrThrow();
  }

  purchases() {
    return this.database.kysely.selectFrom("purchases").selectAll().orderBy("id").execute();
  }

  /** The CHZ received by a wallet. */
  async received(wallet: WalletAddress): Promise<number> {
    const rows = await this.database.kysely
      .selectFrom("payouts")
      .select("amount_gwei")
      .where("recipient", "=", wallet)
      .execute();
    return Number(rows.reduce((sum, row) => sum + row.amount_gwei, 0n)) / 1e9;
  }

  /** Until an operation of this kind is queued; it is not executed. */
  async runUntil(kind: OperationKind): Promise<void> {
    for (let round = 0; round < 12; round++) {
      await this.plan();
      const { kysely } = this.database;
      if (await kysely.selectFrom("operations").select("id").where("kind", "=", kind).executeTakeFirst()) return;
      await this.mine();
    }
    throw new Error(`No ${kind} is queued`);
  }

  /** Puts an operation into a transaction that is not mined. Returns its id. */
  async send(operation: Operation): Promise<bigint> {
    const to: WalletAddress = "0xffffffffffffffffffffffffffffffffffffffff";
    const nonce = ++this.#nonce;
    return inTransaction(this.database.kysely, (queries) =>
      insertTransaction(queries, {
        sender: to,
        nonce,
        to,
        data: "0x",
        gasLimit: 1n,
        fencingToken: 1n,
        operations: [operation],
        signed: { hash: `0x${nonce}`, raw: "0x", maxFeeWei: 1n, maxPriorityFeeWei: 1n },
      }),
    );
  }

  async plan(database = this.database): Promise<boolean> {
    await wakeAccounts(database, async () => {});
    return planNextSteps(database, {
      rates: fixedRate(this.weiPerCent),
      rules: this.rules,
      approvals: this.approvals,
      stepDelayMs: 0,
      payoutConfirmations: 1,
      assertLease: async () => {},
    });
  }

  /** Plans and executes the outbox this many times; by default until nothing is left. */
  async run(rounds = 12): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      const isPlanned = await this.plan();
      const isMined = await this.mine();
      if (rounds > 2 && !isPlanned && !isMined) return;
    }
  }

  /** An operation that was sent is mined, before anything is decided anew. */
  async mineSent(id: bigint): Promise<void> {
    await this.database.kysely.updateTable("operations").set({ status: "queued" }).where("id", "=", id).execute();
    await this.mine();
  }

  /** Executes what is queued, in one block. Returns whether there was anything to do. */
  async mine(): Promise<boolean> {
    const { kysely } = this.database;
    this.#block += 1n;
    const due = await kysely
      .selectFrom("operations")
      .innerJoin("purchases", "purchases.id", "operations.subject_id")
      .select(["operations.id", "operations.kind", "operations.amount_gwei"])
      .select((eb) => eb.ref("purchases.id").as("purchase"))
      .select(["purchases.wallet", "purchases.store_id", "purchases.amount_cents", "purchases.cashback_bps"])
      .select(["purchases.bonus_bps", "purchases.wei_per_cent", "purchases.sale_ref"])
      .where("operations.kind", "in", ["mint", "confirm", "cancel", "return", "pay"])
      .where("operations.status", "=", "queued")
      .where("operations.not_before", "<=", BigInt(Date.now()))
      .orderBy("operations.id")
      .execute();
    for (const one of due) {
      const ticket = await this.#ticketOf(one.purchase);
      const refusal = ticket.refuses(one.kind);
      if (!refusal) await this.#carryOut(one);
      const verdict = refusal ? await this.#verdictOn(refusal, one.id) : "done";
      if (verdict === "later") continue;
      const status = verdict === "done" ? "done" : "failed";
      await kysely.updateTable("operations").set({ status }).where("id", "=", one.id).execute();
    }
    await kysely.updateTable("chain_cursor").set({ block_number: this.#block }).execute();
    await this.recount(due.map((one) => one.purchase));
    return due.length > 0;
  }

  /** As the indexer does after each change of tokens and payouts. */
  async recount(ids: readonly bigint[]): Promise<void> {
    await inTransaction(this.database.kysely, (queries) => recountPurchases(queries, ids));
  }

  /**
   * Back to a copy of its database, as where a backup is restored: what the chain did since stays, and the index has read it.
   * docs/product.md#recovery
   */
  async goBack(copy: DatabaseCopy): Promise<void> {
    const { kysely } = this.database;
    await putBack(this.database, copy, OF_THE_CHAIN);
    await inTransaction(kysely, (queries) => skipIds(this.database, queries));
    await this.recount(idsOf(await kysely.selectFrom("nfts").select("token_id as id").execute()));
  }

  /** What the contracts refuse of a token: a database that went back asks for what was done since. */
  async #ticketOf(id: bigint): Promise<{ refuses(kind: OperationKind): Revert | undefined }> {
    const row = await this.database.kysely
      .selectFrom("nfts")
      .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
      .select(["nfts.status", "payouts.token_id as paid"])
      .where("nfts.token_id", "=", id)
      .executeTakeFirst();
    const status = row?.status ?? 0n;
    return {
      refuses(kind) {
        if (kind === "mint") return row && { name: "AlreadyMinted", args: [id] };
        if (kind === "pay" && row?.paid != null) return { name: "AlreadyPaid", args: [id] };
        if (kind === "pay" || kind === "return")
          return status === 2n ? undefined : { name: "NotConfirmed", args: [id, status] };
        return status === 1n ? undefined : { name: "NotPending", args: [id, status] };
      },
    };
  }

  /** As the sender reads what the contracts refuse. */
  async #verdictOn(refusal: Revert, id: bigint): Promise<Verdict["kind"]> {
    const { kysely } = this.database;
    const operation = await kysely.selectFrom("operations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const { rules } = this;
    const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer: NOBODY, rules });
    const encoder = encoders.find(({ kind }) => kind === operation.kind);
    const read = await encoder?.readRefusal(kysely, refusal, [operation]);
    if (!read) throw new Error(`Nothing is said of ${refusal.name}`);
    return read.verdict.kind;
  }

  async #carryOut(one: Due): Promise<void> {
    const status = { confirm: 2n, cancel: 3n, return: 4n }[one.kind as string];
    if (one.kind === "mint") return this.#mint(one);
    if (one.kind === "pay") return this.#pay(one);
    await this.database.kysely
      .updateTable("nfts")
      .set({ status: status ?? 0n, status_block: this.#block })
      .where("token_id", "=", one.purchase)
      .execute();
  }

  async #mint(one: Due) {
    await this.database.kysely
      .insertInto("nfts")
      .values({
        token_id: one.purchase,
        owner: one.wallet,
        store_id: one.store_id,
        value_cents: one.amount_cents,
        cashback_bps: one.cashback_bps,
        bonus_bps: one.bonus_bps,
        sale_ref: one.sale_ref,
        status: 1n,
        mint_transaction: "0x",
        minted_block: this.#block,
        minted_at: BigInt(Date.now()),
      })
      .execute();
  }

  /** As the contract does: only Confirmed, once, and never above value × percent × rate. */
  async #pay(one: Due) {
    const { kysely } = this.database;
    const nft = await kysely
      .selectFrom("nfts")
      .selectAll()
      .where("token_id", "=", one.purchase)
      .executeTakeFirstOrThrow();
    const amount = one.amount_gwei ?? 0n;
    const bound = nft.value_cents * (nft.cashback_bps + nft.bonus_bps) * (one.wei_per_cent ?? 0n);
    if (nft.status !== 2n) throw new Error("Paid without being confirmed");
    if (amount <= 0n || amount * 10_000n * 10n ** 9n > bound) throw new Error(`Paid above the bound: ${amount}`);
    await kysely
      .insertInto("payouts")
      .values({
        token_id: one.purchase,
        recipient: one.wallet,
        amount_gwei: amount,
        wei_per_cent: one.wei_per_cent,
        state: this.isRefused ? "deferred" : "paid",
        transaction_hash: "0x",
        block_number: this.#block,
        log_index: 0n,
        paid_at: 1n,
      })
      .execute();
  }
}

let count = 0;

/** A sale of R$ 100 as reported by Awin, half a minute from now, so that no time-based hold applies. */
export function reportOf(
  click: { token: string } | undefined,
  more: Partial<SaleReport> & { reais?: number } = {},
): SaleReport {
  const { reais = 100, ...rest } = more;
  const amountMicros = BigInt(Math.round(reais * 100)) * 10_000n;
  return {
    saleKey: `sale-${++count}`,
    clickRef: click?.token ?? null,
    advertiserId: "17000",
    orderRef: `order-${count}`,
    status: "pending",
    payable: false,
    amountMicros,
    currency: "BRL",
    trackedBrlMicros: null,
    commissionMicros: amountMicros / 10n,
    commissionCurrency: "BRL",
    parts: [],
    occurredAt: BigInt(Date.now() + 30_000),
    changedAt: null,
    reason: null,
    drift: null,
    ...rest,
  };
}
