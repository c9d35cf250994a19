import { amongTexts } from "../database/among.ts";
import { authorKey, readAuthors } from "../database/deciders.ts";
import type { Queries } from "../database/transaction.ts";
import type { ClickFacts } from "../domain/sale/decide.ts";
import type { SaleReport } from "../domain/sale/report.ts";
import type { AccountKey, FxRates } from "../domain/sale/rules.ts";
import { saoPauloDay } from "../domain/sao-paulo-time.ts";
import { nameOf } from "./account-books.ts";

type Authored = {
  row: AccountKey & { id: bigint; occurred_at: bigint | null; created_at: bigint };
  buyer: ClickFacts | null;
  orderKey: string | null;
  known: { report: SaleReport };
};

/**
 * By whose word each of these sales is paid though nobody decided about it: who accepted the rate of its currency; its own
 * buyer, if they have said something about its store, account, fan token or order. docs/product.md#who-frees
 */
export async function authorsOf(
  queries: Queries,
  fx: FxRates,
  sales: readonly Authored[],
): Promise<ReadonlyMap<bigint, string>> {
  const bought = sales.filter(({ buyer }) => buyer !== null);
  const subjects = new Map(bought.map((sale) => [sale.row.id, subjectsOf(sale)]));
  const said = await readAuthors(
    queries,
    new Set(bought.flatMap(({ buyer }) => buyer?.wallet ?? [])),
    new Set([...subjects.values()].flat()),
  );
  const accepted = await readAccepted(queries, fx, bought);
  const authorOf = ({ row, buyer, known }: Authored) => {
    const wallet = buyer?.wallet ?? "";
    const isOwn = subjects.get(row.id)?.some((subject) => said.has(authorKey(wallet, subject)));
    const by = currenciesOf(known.report).flatMap((one) => accepted.get(`${one} ${dayOf(row)}`) ?? []);
    return isOwn || by.includes(wallet) ? wallet : by[0];
  };
  return new Map(bought.flatMap((sale) => [[sale.row.id, authorOf(sale)] as const].filter(hasAuthor)));
}

const hasAuthor = (one: readonly [bigint, string | undefined]): one is readonly [bigint, string] =>
  one[1] !== undefined;

function subjectsOf({ row, buyer, orderKey }: Authored): string[] {
  return [
    `account:${nameOf(row)}`,
    ...(buyer ? [`store:${buyer.store.id}`] : []),
    ...(buyer?.tokenSlug ? [`fan_token:${buyer.tokenSlug}`] : []),
    ...(orderKey === null ? [] : [`order:${orderKey}`]),
  ];
}

const dayOf = (row: Authored["row"]) => saoPauloDay(row.occurred_at ?? row.created_at);

function currenciesOf({ currency, commissionCurrency }: SaleReport): string[] {
  return [...new Set([currency, commissionCurrency ?? currency])].filter((one) => one !== "BRL");
}

/** Who accepted a doubtful rate, by its currency and the day of the sales that it is used for. */
async function readAccepted(
  queries: Queries,
  { url }: FxRates,
  sales: readonly Authored[],
): Promise<ReadonlyMap<string, string>> {
  const currencies = new Set(sales.flatMap(({ known }) => currenciesOf(known.report)));
  if (url === undefined || currencies.size === 0) return new Map();
  const rows = await queries
    .selectFrom("fx_requests")
    .innerJoin("fx_rates", (join) =>
      join
        .onRef("fx_rates.currency", "=", "fx_requests.currency")
        .onRef("fx_rates.day", "=", "fx_requests.published_day"),
    )
    .select(["fx_requests.currency", "fx_requests.day", "fx_rates.accepted_by"])
    .where(amongTexts(queries, "fx_requests.currency", currencies))
    .where(amongTexts(queries, "fx_requests.day", new Set(sales.map(({ row }) => dayOf(row)))))
    .where("fx_rates.doubted_from", "is not", null)
    .where("fx_rates.accepted_by", "is not", null)
    .execute();
  return new Map(
    rows.flatMap(({ currency, day, accepted_by: by }) => (by === null ? [] : [[`${currency} ${day}`, by]])),
  );
}
