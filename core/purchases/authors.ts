import type { ChangedFact } from "../database/changed-facts.ts";
import { authorKey, readAuthors } from "../database/deciders.ts";
import type { Queries } from "../database/transaction.ts";
import type { ClickFacts } from "../rules/sale/facts.ts";
import type { SaleReport } from "../rules/sale/report.ts";
import type { AccountKey } from "../rules/sale/rules.ts";
import { nameOf } from "./account-books.ts";

type Authored = {
  row: AccountKey & { id: bigint; store_id: bigint | null };
  buyer: ClickFacts | null;
  orderKey: string | null;
  known: { report: SaleReport };
  /** Of the doubtful rates of its day, by currency. */
  acceptedBy: ReadonlyMap<string, string>;
};

/**
 * By whose word each of these sales is paid though nobody decided about it. `author`: who accepted the rate of its currency;
 * its own buyer, if they have said something about its store, account, fan token or order. `changedBy`: who changed its
 * store, while that is not worked off yet. docs/product.md#who-frees
 */
export async function authorsOf(
  queries: Queries,
  sales: readonly Authored[],
): Promise<ReadonlyMap<bigint, { author: string | null; changedBy: string | null }>> {
  const bought = sales.filter(({ buyer }) => buyer !== null);
  const subjects = new Map(bought.map((sale) => [sale.row.id, subjectsOf(sale)]));
  const said = await readAuthors(
    queries,
    new Set(bought.flatMap(({ buyer }) => buyer?.wallet ?? [])),
    new Set([...subjects.values()].flat()),
  );
  const authorOf = ({ row, buyer, known, acceptedBy }: Authored) => {
    const wallet = buyer?.wallet ?? "";
    const isOwn = subjects.get(row.id)?.some((subject) => said.has(authorKey(wallet, subject)));
    const by = currenciesOf(known.report).flatMap((one) => acceptedBy.get(one) ?? []);
    return isOwn || by.includes(wallet) ? wallet : by[0];
  };
  const changes = await queries
    .selectFrom("changed_facts")
    .select(["fact", "said_by"])
    .where("said_by", "is not", null)
    .execute();
  const changedBy = new Map(changes.map(({ fact, said_by }) => [fact, said_by]));
  return new Map(
    bought.map((sale) => {
      const fact: ChangedFact = `store ${sale.row.store_id ?? 0n}`;
      return [sale.row.id, { author: authorOf(sale) ?? null, changedBy: changedBy.get(fact) ?? null }];
    }),
  );
}

function subjectsOf({ row, buyer, orderKey }: Authored): string[] {
  return [
    `account:${nameOf(row)}`,
    ...(buyer ? [`store:${buyer.store.id}`] : []),
    ...(buyer?.tokenSlug ? [`fan_token:${buyer.tokenSlug}`] : []),
    ...(orderKey === null ? [] : [`order:${orderKey}`]),
  ];
}

function currenciesOf({ currency, commissionCurrency }: SaleReport): string[] {
  return [...new Set([currency, commissionCurrency ?? currency])];
}
