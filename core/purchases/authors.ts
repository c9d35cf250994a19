import { authorKey, readAuthors } from "../database/deciders.ts";
import type { Queries } from "../database/transaction.ts";
import type { ClickFacts } from "../rules/sale/decide.ts";
import type { SaleReport } from "../rules/sale/report.ts";
import type { AccountKey } from "../rules/sale/rules.ts";
import { nameOf } from "./account-books.ts";

type Authored = {
  row: AccountKey & { id: bigint };
  buyer: ClickFacts | null;
  orderKey: string | null;
  known: { report: SaleReport };
  /** Of the doubtful rates of its day, by currency. */
  acceptedBy: ReadonlyMap<string, string>;
};

/**
 * By whose word each of these sales is paid though nobody decided about it: who accepted the rate of its currency; its own
 * buyer, if they have said something about its store, account, fan token or order. docs/product.md#who-frees
 */
export async function authorsOf(queries: Queries, sales: readonly Authored[]): Promise<ReadonlyMap<bigint, string>> {
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
  return new Map(
    bought.flatMap((sale) => {
      const author = authorOf(sale);
      return author === undefined ? [] : [[sale.row.id, author] as const];
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
