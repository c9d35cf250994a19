import { z } from "zod";
import type { Database } from "../database/connect.ts";
import type { Queries } from "../database/transaction.ts";
import { readMicros } from "../domain/sale/amount.ts";
import type { FxRates } from "../domain/sale/rules.ts";
import { askOutside } from "../platform/outside.ts";
import { parseExactJson } from "./exact-json.ts";

/** Days without a rate (weekends, holidays) use the last earlier one, at most this old. */
const LOOK_BACK_DAYS = 10;
const DAY_MS = 86_400_000;

/** The day of a sale in Brazil, where the rates are published. */
export function dayOf(at: bigint): string {
  const BRAZIL_OFFSET_MS = 3 * 3_600_000;
  return new Date(Number(at) - BRAZIL_OFFSET_MS).toISOString().slice(0, 10);
}

/** A stored or fixed rate in millionths of a real; null if there is none yet. */
export async function findRate(queries: Queries, fx: FxRates, currency: string, day: string): Promise<bigint | null> {
  if (currency === "BRL") return null;
  if (fx.url === undefined) return fx.fixed.get(currency) ?? null;
  const row = await queries
    .selectFrom("fx_rates")
    .select("rate_micros")
    .where("currency", "=", currency)
    .where("day", "=", day)
    .executeTakeFirst();
  return row?.rate_micros ?? null;
}

/**
 * Fetches and stores a day's rate if it is not stored yet; the first stored rate never changes. Returns whether there
 * is one.
 * @throws Error if the feed does not respond or its response contains no rate
 */
export async function fetchRate({ kysely }: Database, fx: FxRates, currency: string, at: bigint): Promise<boolean> {
  const day = dayOf(at);
  if ((await findRate(kysely, fx, currency, day)) !== null) return true;
  if (fx.url === undefined || !/^[A-Z]{3}$/.test(currency)) return false;
  const answer = await askOutside(feedUrl(fx.url, currency, day), { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`The exchange rate feed returned status ${answer.status}`);
  const rate = latestRate(parseExactJson(answer.text));
  if (rate === undefined) return false;
  await kysely
    .insertInto("fx_rates")
    .values({ currency, day, rate_micros: rate, read_at: BigInt(Date.now()) })
    .onConflict((conflict) => conflict.columns(["currency", "day"]).doNothing())
    .execute();
  return true;
}

/** The PTAX query for a period, or a template with `{currency}`, `{from}` and `{day}`. */
function feedUrl(base: string, currency: string, day: string): string {
  const from = new Date(Date.parse(`${day}T00:00:00Z`) - LOOK_BACK_DAYS * DAY_MS).toISOString().slice(0, 10);
  if (base.includes("{currency}")) {
    return base
      .replaceAll("{currency}", currency)
      .replaceAll("{from}", american(from))
      .replaceAll("{day}", american(day));
  }
  const call = "CotacaoMoedaPeriodo(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)";
  const query = `@moeda='${currency}'&@dataInicial='${american(from)}'&@dataFinalCotacao='${american(day)}'&$format=json`;
  return `${base.replace(/\/+$/, "")}/${call}?${query}`;
}

/** `MM-DD-YYYY`, the format of PTAX. */
function american(day: string): string {
  const [year, month, date] = day.split("-");
  return `${month}-${date}-${year}`;
}

const feedSchema = z.object({
  value: z.array(
    z.object({ cotacaoVenda: z.string(), dataHoraCotacao: z.string(), tipoBoletim: z.string().optional() }),
  ),
});

/** The closing rate of the latest available day, or that day's latest rate before it closes. */
function latestRate(body: unknown): bigint | undefined {
  const { value } = feedSchema.parse(body);
  const byTime = [...value].sort((a, b) => (a.dataHoraCotacao < b.dataHoraCotacao ? -1 : 1));
  const latest = byTime.at(-1);
  if (!latest) return undefined;
  const day = latest.dataHoraCotacao.slice(0, 10);
  const closing = byTime.find(
    (one) => one.dataHoraCotacao.startsWith(day) && /^Fechamento/.test(one.tipoBoletim ?? ""),
  );
  const rate = readMicros((closing ?? latest).cotacaoVenda);
  return rate !== undefined && rate > 0n ? rate : undefined;
}
