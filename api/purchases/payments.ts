import type { Request } from "express";
import { chainOf } from "../../core/chain/chains.ts";
import { firstPaidAt, listPaidAmounts, listPayments, type Payment } from "../../core/purchases/payments.ts";
import { purchaseViewOf } from "../../core/purchases/view.ts";
import { type DailyRate, readDailyRates } from "../../core/rates/daily-rates.ts";
import { type PaymentsOfYear, paymentsQuerySchema, paymentsResponseSchema } from "../../core/rules/api/payments.ts";
import { worthCents } from "../../core/rules/cashback.ts";
import type { Language } from "../../core/rules/languages.ts";
import { chzTextFromGwei, formatDecimal, reaisText } from "../../core/rules/money.ts";
import { LIST_LIMIT } from "../../core/rules/product.ts";
import { fromSaoPaulo, saoPauloDay, saoPauloTime } from "../../core/rules/sao-paulo-time.ts";
import { spreadsheetIn } from "../../core/rules/spreadsheet.ts";
import { CSV_TYPE, LIST_HEADERS, wantsCsv } from "../http/list-route.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import type { Visitor } from "../people/sessions.ts";
import type { Services } from "../services.ts";
import { siteOrigin } from "../site/heads.ts";
import { textsIn } from "../texts.ts";

/** A payment with the rate of its day or the last one before, and its worth at that rate in cents. */
type Valued<P> = P & { rate: DailyRate | undefined; cents: bigint | undefined };
type PaidAmount = Pick<Payment, "token_id" | "amount_gwei" | "paid_at">;

/** What a wallet was paid in a year: its sums, or as CSV each payment. docs/product.md#worth */
export function paymentsRoute(services: Services): Route {
  return route.get("/api/me/payments", {
    access: "user",
    cost: { thread: 50, node: 0, stored: 0, mail: 0 },
    summary: "What the signed-in user was paid in a year: its sums, or as CSV each payment",
    query: paymentsQuerySchema,
    alternatives: ["text/csv"],
    responses: { 200: paymentsResponseSchema },
    async handle({ identity, query, request }) {
      const visitor = visitorOf(identity);
      const year = query.year ?? yearOf(Date.now());
      if (!wantsCsv(request)) {
        const pages = readPages(services, visitor, year, listPaidAmounts);
        return { body: { success: true, data: await sumUp(services, visitor, year, pages) }, headers: LIST_HEADERS };
      }
      const pages = readPages(services, visitor, year, listPayments);
      const name = `torcida-${year}-${visitor.wallet}.csv`;
      const headers = { ...LIST_HEADERS, "content-disposition": `attachment; filename="${name}"` };
      return {
        chunks: csvChunks(pages, year, query.language, transactionLink(services, request)),
        type: CSV_TYPE,
        headers,
      };
    },
  });
}

/** One page is in memory at a time; a thread reads it from SQLite, so that no other request waits for all. */
async function* readPages<P extends PaidAmount>(
  services: Services,
  visitor: Visitor,
  year: number,
  list: (...page: Parameters<typeof listPayments>) => Promise<P[]>,
): AsyncGenerator<Valued<P>[]> {
  const { reader } = services.database;
  const { shownUpTo } = purchaseViewOf(services, visitor.indexed?.block);
  const span = { from: startOf(year), to: startOf(year + 1), shownUpTo };
  for (let after: P | undefined; ; ) {
    const page = await list(reader, visitor.wallet, { ...span, after, limit: LIST_LIMIT });
    const rateOf = await readDailyRates(
      reader,
      page.map((one) => one.paid_at),
    );
    yield page.map((one) => {
      const rate = rateOf(one.paid_at);
      return { ...one, rate, cents: rate && worthCents(one.amount_gwei, rate.weiPerCent) };
    });
    if (page.length < LIST_LIMIT) return;
    after = page.at(-1);
  }
}

async function sumUp(
  { database, rates }: Services,
  { wallet }: Visitor,
  year: number,
  pages: AsyncIterable<Valued<PaidAmount>[]>,
): Promise<PaymentsOfYear> {
  const sums = new Sums();
  for await (const page of pages) sums.add(page);
  const first = await firstPaidAt(database.reader, wallet);
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
    earlier_rate: sums.earlierRate,
    value_today: rate.kind === "rate" ? reaisText(worthCents(sums.gwei, rate.weiPerCent)) : null,
  };
}

/** The sums of rows as they are shown, so that a reader who adds them up gets the same. */
class Sums {
  count = 0;
  gwei = 0n;
  cents = 0n;
  withoutRate = 0;
  earlierRate = 0;

  add(payments: readonly Valued<PaidAmount>[]): void {
    for (const { amount_gwei, rate, cents } of payments) {
      this.count += 1;
      this.gwei += amount_gwei;
      this.cents += cents ?? 0n;
      if (rate === undefined) this.withoutRate += 1;
      else if (rate.isEarlier) this.earlierRate += 1;
    }
  }
}

const RATE_DECIMALS = 8;
/** Reais per CHZ with their decimals, of wei per cent: 10¹⁸ wei are a CHZ, 100 cents a real. */
const PRICE_SCALE = 10n ** BigInt(16 + RATE_DECIMALS);

async function* csvChunks(
  pages: AsyncIterable<Valued<Payment>[]>,
  year: number,
  language: Language,
  linkOf: (hash: string) => string,
): AsyncGenerator<string> {
  const t = textsIn(language);
  const noRate = t("server.payments.noRate");
  const { number, rows } = spreadsheetIn(language);
  const sums = new Sums();
  yield `\uFEFF${rows([t("server.payments.columns").split(" | ")])}`;
  for await (const page of pages) {
    sums.add(page);
    yield rows(
      page.map((one) => [
        saoPauloTime(Number(one.paid_at)),
        String(one.token_id),
        one.store_now ?? one.store_name ?? "",
        t(`server.payments.${one.state}`),
        number(chzTextFromGwei(one.amount_gwei)),
        one.rate === undefined ? noRate : number(formatDecimal(PRICE_SCALE / one.rate.weiPerCent, RATE_DECIMALS, 2)),
        one.rate?.day ?? noRate,
        one.cents === undefined ? noRate : number(reaisText(one.cents)),
        one.transaction_hash,
        linkOf(one.transaction_hash),
      ]),
    );
  }
  const title = t(sums.count === 0 ? "server.payments.none" : "server.payments.sum", { year: String(year) });
  const rate = sums.withoutRate === 0 ? "" : t("server.payments.missing", { count: sums.withoutRate });
  yield rows([
    [title, "", "", "", number(chzTextFromGwei(sums.gwei)), rate, "", number(reaisText(sums.cents)), "", ""],
  ]);
}

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
