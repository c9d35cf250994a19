import { stringify } from "csv-stringify/sync";
import type { Request } from "express";
import { chainOf } from "../../chain/chains.ts";
import { type PaymentsOfYear, paymentsQuerySchema, paymentsResponseSchema } from "../../domain/api/payments.ts";
import { worthCents } from "../../domain/cashback.ts";
import { chzTextFromGwei, formatDecimal, reaisText } from "../../domain/money.ts";
import { LIST_LIMIT } from "../../domain/product.ts";
import { fromSaoPaulo, saoPauloDay, toSaoPaulo } from "../../domain/sao-paulo-time.ts";
import { firstPaidAt, listPayments, type Payment } from "../../purchases/payments.ts";
import { purchaseViewAt } from "../../purchases/view.ts";
import { readDailyRates } from "../../rates/daily-rates.ts";
import { CSV_TYPE, LIST_HEADERS, wantsCsv } from "../http/list-route.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import type { Visitor } from "../people/sessions.ts";
import { type Services, viewOptions } from "../services.ts";
import { siteOrigin } from "../site/heads.ts";

/** A payment with the rate of its day, and its worth at that rate in cents. */
type ValuedPayment = Payment & { rate: bigint | undefined; cents: bigint | undefined };

/** What a wallet was paid in a year: its sums, or as CSV each payment. docs/product.md#worth */
export function paymentsRoute(services: Services): Route {
  return route({
    method: "get",
    path: "/api/me/payments",
    access: "user",
    summary: "What the signed-in user was paid in a year: its sums, or as CSV each payment",
    limit: { perMinute: 30, by: "wallet" },
    query: paymentsQuerySchema,
    alternatives: ["text/csv"],
    responses: { 200: paymentsResponseSchema },
    async handle({ identity, query, request }) {
      const visitor = visitorOf(identity);
      const year = query.year ?? yearOf(Date.now());
      const pages = readPages(services, visitor, year);
      if (!wantsCsv(request)) {
        return { body: { success: true, data: await sumUp(services, visitor, year, pages) }, headers: LIST_HEADERS };
      }
      const name = `torcida-${year}-${visitor.wallet}.csv`;
      const headers = { ...LIST_HEADERS, "content-disposition": `attachment; filename="${name}"` };
      return { chunks: csvChunks(pages, year, transactionLink(services, request)), type: CSV_TYPE, headers };
    },
  });
}

/** One page is in memory at a time. */
async function* readPages(services: Services, visitor: Visitor, year: number): AsyncGenerator<ValuedPayment[]> {
  const { kysely } = services.database;
  const { shownUpTo } = purchaseViewAt(visitor.indexed?.block, viewOptions(services));
  const span = { from: startOf(year), to: startOf(year + 1), shownUpTo };
  for (let after: Payment | undefined; ; ) {
    const page = await listPayments(kysely, visitor.wallet, { ...span, after, limit: LIST_LIMIT });
    const rateOf = await readDailyRates(
      kysely,
      page.map((one) => one.paid_at),
    );
    yield page.map((one) => {
      const rate = rateOf(one.paid_at);
      return { ...one, rate, cents: rate && worthCents(one.amount_gwei, rate) };
    });
    if (page.length < LIST_LIMIT) return;
    after = page.at(-1);
  }
}

async function sumUp(
  { database, rates }: Services,
  { wallet }: Visitor,
  year: number,
  pages: AsyncIterable<ValuedPayment[]>,
): Promise<PaymentsOfYear> {
  const sums = new Sums();
  for await (const page of pages) sums.add(page);
  const first = await firstPaidAt(database.kysely, wallet);
  const newest = yearOf(Date.now());
  const oldest = first === undefined ? newest : yearOf(Number(first));
  const rate = rates.current();
  return {
    year,
    years: Array.from({ length: Math.max(newest - oldest, 0) + 1 }, (_, index) => newest - index),
    count: sums.count,
    amount: chzTextFromGwei(sums.gwei),
    value: reaisText(sums.cents),
    without_rate: sums.withoutRate,
    value_today: rate.kind === "rate" ? reaisText(worthCents(sums.gwei, rate.weiPerCent)) : null,
  };
}

/** The sums of rows as they are shown, so that a reader who adds them up gets the same. */
class Sums {
  count = 0;
  gwei = 0n;
  cents = 0n;
  withoutRate = 0;

  add(payments: readonly ValuedPayment[]): void {
    for (const { amount_gwei, cents } of payments) {
      this.count += 1;
      this.gwei += amount_gwei;
      this.cents += cents ?? 0n;
      if (cents === undefined) this.withoutRate += 1;
    }
  }
}

const COLUMNS = [
  ...["Data (São Paulo)", "Compra", "Loja", "Situação", "CHZ", "R$ por CHZ no dia", "R$ no dia"],
  ...["Transação", "Link"],
];
const NO_RATE = "sem cotação";
const RATE_DECIMALS = 8;
/** Reais per CHZ with their decimals, of wei per cent: 10¹⁸ wei are a CHZ, 100 cents a real. */
const PRICE_SCALE = 10n ** BigInt(16 + RATE_DECIMALS);

/** For spreadsheets in Brazil: semicolons and decimal commas, with the mark by which they know UTF-8. */
async function* csvChunks(
  pages: AsyncIterable<ValuedPayment[]>,
  year: number,
  linkOf: (hash: string) => string,
): AsyncGenerator<string> {
  const sums = new Sums();
  yield `\uFEFF${csvRows([COLUMNS])}`;
  for await (const page of pages) {
    sums.add(page);
    yield csvRows(
      page.map((one) => [
        toSaoPaulo(Number(one.paid_at)).replace("T", " "),
        String(one.token_id),
        one.store_name ?? one.store_now ?? "",
        one.state === "paid" ? "pago" : "crédito a sacar",
        comma(chzTextFromGwei(one.amount_gwei)),
        one.rate === undefined ? NO_RATE : comma(formatDecimal(PRICE_SCALE / one.rate, RATE_DECIMALS, 2)),
        one.cents === undefined ? NO_RATE : comma(reaisText(one.cents)),
        one.transaction_hash,
        linkOf(one.transaction_hash),
      ]),
    );
  }
  const title = sums.count === 0 ? `Nenhum pagamento em ${year}` : `Soma de ${year}`;
  const missing = sums.withoutRate === 0 ? "" : `sem ${sums.withoutRate} pagamento(s) sem cotação`;
  yield csvRows([
    [title, "", "", "", comma(chzTextFromGwei(sums.gwei)), missing, comma(reaisText(sums.cents)), "", ""],
  ]);
}

/** A cell that a spreadsheet would interpret as a formula is prefixed with an apostrophe. */
function csvRows(rows: readonly (readonly string[])[]): string {
  return stringify([...rows], { delimiter: ";", record_delimiter: "windows", escape_formulas: true });
}

const comma = (decimal: string): string => decimal.replace(".", ",");

/** The chain's explorer, or this site's own page. */
function transactionLink(services: Services, request: Request): (hash: string) => string {
  const { environment, network } = services;
  const explorer =
    network === "localhost" ? undefined : chainOf(network, environment.RPC_URLS[0]).blockExplorers?.default.url;
  return (hash) => `${explorer ?? siteOrigin(services, request)}/tx/${hash}`;
}

const yearOf = (at: number): number => Number(saoPauloDay(at).slice(0, 4));

/** The first moment of a year in São Paulo, in ms. */
const startOf = (year: number): bigint => BigInt(Date.parse(fromSaoPaulo(`${year}-01-01T00:00`) ?? ""));
