import { z } from "zod";
import type { Database } from "../database/connect.ts";
import type { Queries } from "../database/transaction.ts";
import { askOutside } from "../process/outside.ts";
import { DAY_MS } from "../rules/iso-time.ts";
import type { FxRates } from "../rules/sale/rules.ts";
import { readMicros } from "../rules/sale/value.ts";
import { saoPauloDay } from "../rules/sao-paulo-time.ts";
import { parseExactJson } from "./row.ts";

/** Days without a rate (weekends, holidays) use the last earlier one, at most this old. */
const OLDEST_DAYS = 7;
/** So many days are asked for, to compare a rate with the one before it. */
const LOOK_BACK_DAYS = 17;
/** A rate that differs by more waits for a person. */
const JUMP_PERCENT = 10n;
const MAXIMUM_RATE_MICROS = 1_000n * 1_000_000n;
const CLOSING = "Fechamento";
const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 6 * 3_600_000;
const DOUBTFUL_ROWS = 200;

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
}

/** What is known of the rate of a sale's day. A doubtful one is used only once a person has accepted it. */
export type FoundRate =
  | { state: "accepted"; rateMicros: bigint }
  | { state: "doubtful"; rateMicros: bigint; publishedOn: string; previousMicros: bigint }
  | { state: "missing" };

/** The rate of a currency for the sales of a day, in millionths of a real. docs/product.md#sales-rates */
export async function lookUpRate(queries: Queries, fx: FxRates, currency: string, day: string): Promise<FoundRate> {
  if (currency === "BRL") return { state: "missing" };
  if (fx.url === undefined) {
    const fixed = fx.fixed.get(currency);
    return fixed === undefined ? { state: "missing" } : { state: "accepted", rateMicros: fixed };
  }
  const row = await queries
    .selectFrom("fx_requests")
    .innerJoin("fx_rates", (join) =>
      join
        .onRef("fx_rates.currency", "=", "fx_requests.currency")
        .onRef("fx_rates.day", "=", "fx_requests.published_day"),
    )
    .selectAll("fx_rates")
    .where("fx_requests.currency", "=", currency)
    .where("fx_requests.day", "=", day)
    .executeTakeFirst();
  if (!row) return { state: "missing" };
  const { rate_micros: rateMicros, day: publishedOn, doubted_from: previousMicros } = row;
  if (previousMicros === null || row.accepted_at !== null) return { state: "accepted", rateMicros };
  return { state: "doubtful", rateMicros, publishedOn, previousMicros };
}

/** A usable rate in millionths of a real; null if there is none yet. */
export async function findRate(queries: Queries, fx: FxRates, currency: string, day: string): Promise<bigint | null> {
  const found = await lookUpRate(queries, fx, currency, day);
  return found.state === "accepted" ? found.rateMicros : null;
}

/**
 * Asks the feed for a day's rate unless it has answered, or has been asked too recently: each question is repeated ever
 * more seldom, which all processes remember. The first stored rate of a day never changes. Returns whether there is a
 * usable one. docs/product.md#sales-rates
 * @throws Error if the feed was asked and does not answer, or with nothing usable
 */
export async function fetchRate({ kysely }: Database, fx: FxRates, currency: string, at: bigint): Promise<boolean> {
  const day = saoPauloDay(at);
  const found = await lookUpRate(kysely, fx, currency, day);
  if (found.state !== "missing") return found.state === "accepted";
  if (fx.url === undefined || !/^[A-Z]{3}$/.test(currency) || currency === "BRL") return false;
  if (!(await takeTurn(kysely, currency, day))) return false;
  const answer = await askOutside(feedUrl(fx.url, currency, day), { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`The exchange rate feed returned status ${answer.status}`);
  const published = publicationsOf(parseExactJson(answer.text)).filter((one) => one.day <= day);
  const last = published.at(-1);
  // The day's own rate may still be published.
  const isOpen = day >= saoPauloDay(BigInt(Date.now())) && last?.day !== day;
  if (!last || isOpen || last.day < daysBefore(day, OLDEST_DAYS)) return false;
  const doubted_from = await doubtOf(kysely, currency, published);
  await kysely
    .insertInto("fx_rates")
    .values({ currency, day: last.day, rate_micros: last.micros, doubted_from, read_at: BigInt(Date.now()) })
    .onConflict((conflict) => conflict.columns(["currency", "day"]).doNothing())
    .execute();
  await kysely
    .updateTable("fx_requests")
    .set({ published_day: last.day })
    .where("currency", "=", currency)
    .where("day", "=", day)
    .execute();
  return (await findRate(kysely, fx, currency, day)) !== null;
}

/** Whether it is this caller's turn to ask: the next one comes later, at most every six hours. */
async function takeTurn(queries: Queries, currency: string, day: string): Promise<boolean> {
  const now = Date.now();
  await queries
    .insertInto("fx_requests")
    .values({ currency, day, due_at: 0n })
    .onConflict((conflict) => conflict.columns(["currency", "day"]).doNothing())
    .execute();
  const ofDay = queries.selectFrom("fx_requests").where("currency", "=", currency).where("day", "=", day);
  const { attempts, due_at } = await ofDay.select(["attempts", "due_at"]).executeTakeFirstOrThrow();
  if (due_at > BigInt(now)) return false;
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Number(attempts), LONGEST_RETRY_MS);
  const taken = await queries
    .updateTable("fx_requests")
    .set({ attempts: attempts + 1n, due_at: BigInt(now + waitMs) })
    .where("currency", "=", currency)
    .where("day", "=", day)
    .where("attempts", "=", attempts)
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n;
}

type Publication = { day: string; micros: bigint };

/**
 * What the last rate is compared with if it differs too much; else null. Each rate is compared with the last one before
 * it that is not doubtful itself, so that a feed which stays wrong is not believed the next day.
 */
async function doubtOf(queries: Queries, currency: string, published: readonly Publication[]): Promise<bigint | null> {
  const from = published[0]?.day ?? "";
  const stored = await queries
    .selectFrom("fx_rates")
    .selectAll()
    .where("currency", "=", currency)
    .where("day", ">=", daysBefore(from, LOOK_BACK_DAYS))
    .orderBy("day")
    .execute();
  const isTrusted = (row: (typeof stored)[number]) => row.doubted_from === null || row.accepted_at !== null;
  let trusted = stored.filter((row) => row.day < from && isTrusted(row)).at(-1)?.rate_micros;
  let doubted: bigint | null = null;
  for (const { day, micros } of published) {
    const known = stored.find((row) => row.day === day);
    const isFine = known ? isTrusted(known) : trusted === undefined || !isJump(trusted, micros);
    doubted = isFine ? null : (trusted ?? micros);
    if (isFine) trusted = micros;
  }
  return doubted;
}

function isJump(from: bigint, to: bigint): boolean {
  const step = to > from ? to - from : from - to;
  return step * 100n > from * JUMP_PERCENT;
}

export function listDoubtfulRates(queries: Queries) {
  return queries
    .selectFrom("fx_rates")
    .selectAll()
    .where("doubted_from", "is not", null)
    .where("accepted_at", "is", null)
    .orderBy("day", "desc")
    .orderBy("currency")
    .limit(DOUBTFUL_ROWS)
    .execute();
}

/** Lets a doubtful rate be used. Returns it; undefined if none of that day waits. docs/product.md#sales-rates */
export async function acceptRate(queries: Queries, currency: string, day: string, actor: string) {
  return queries
    .updateTable("fx_rates")
    .set({ accepted_by: actor, accepted_at: BigInt(Date.now()) })
    .where("currency", "=", currency)
    .where("day", "=", day)
    .where("doubted_from", "is not", null)
    .where("accepted_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}

/** The PTAX query for a period, or a template with `{currency}`, `{from}` and `{day}`. */
function feedUrl(base: string, currency: string, day: string): string {
  const from = daysBefore(day, LOOK_BACK_DAYS);
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

/**
 * The rates that were published, oldest first: each day's closing rate, or the only one of a feed without bulletins. A
 * day that has not closed has none.
 */
function publicationsOf(body: unknown): Publication[] {
  const { value } = feedSchema.parse(body);
  const days = Map.groupBy(value, (one) => one.dataHoraCotacao.slice(0, 10));
  return [...days]
    .flatMap(([day, bulletins]) => {
      const closing = bulletins.filter(({ tipoBoletim = CLOSING }) => tipoBoletim.startsWith(CLOSING));
      const last = closing.toSorted((a, b) => (a.dataHoraCotacao < b.dataHoraCotacao ? -1 : 1)).at(-1);
      const micros = last && readMicros(last.cotacaoVenda);
      const isUsable = micros !== undefined && micros > 0n && micros <= MAXIMUM_RATE_MICROS;
      return isUsable && /^\d{4}-\d{2}-\d{2}$/.test(day) ? [{ day, micros }] : [];
    })
    .sort((a, b) => (a.day < b.day ? -1 : 1));
}
