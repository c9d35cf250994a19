import { actAs } from "../../core/database/changed-facts.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { isBeyondDay } from "../../core/purchases/approvals.ts";
import { type SaleChange, watchDecisions } from "../../core/purchases/decide-sales.ts";
import { shownRate } from "../../core/rates/rate-source.ts";
import type { Preview } from "../../core/rules/api/sales.ts";
import { cashbackOfCentBps } from "../../core/rules/cashback.ts";
import { chzTextFromGwei, formatDecimal } from "../../core/rules/money.ts";
import { OwnSaleError } from "../../core/rules/sale/own-sale-error.ts";
import { DecisionError, SaleChangedError } from "../../core/sales/decisions.ts";
import { ApiError } from "../http/api-error.ts";
import type { Services } from "../services.ts";

/** Takes a preview's transaction back. */
const TAKEN_BACK = new Error("A preview leaves nothing");

/** What a decision would change: it is made, and taken back. docs/product.md#decision-preview */
export async function previewOf(
  services: Services,
  actor: string,
  decide: (queries: Queries) => Promise<unknown>,
): Promise<Preview> {
  let preview: Preview | undefined;
  try {
    await inTransaction(services.database.kysely, async (queries) => {
      actAs(queries, actor);
      const changes = watchDecisions(queries);
      await decide(queries);
      preview = await describe(services, queries, actor, changes);
      throw TAKEN_BACK;
    });
  } catch (error) {
    if (error === TAKEN_BACK && preview) return preview;
    const refused = refusalOf(error);
    if (refused === undefined) throw error;
    return { refused, why: error instanceof DecisionError ? error.why : null, second_person: false, changes: [] };
  }
  throw new Error("A preview was not taken back");
}

function refusalOf(error: unknown): Preview["refused"] | undefined {
  if (error instanceof OwnSaleError) return "OWN_SALE";
  if (error instanceof SaleChangedError) return "SALE_CHANGED";
  if (error instanceof DecisionError) return "DECISION_REFUSED";
  return error instanceof ApiError && error.code === "NOT_HELD" ? "NOT_HELD" : undefined;
}

async function describe(
  services: Services,
  queries: Queries,
  actor: string,
  decided: readonly SaleChange[],
): Promise<Preview> {
  const rate = shownRate(services.rates, services.environment.WEI_PER_CENT);
  const changes = [...Map.groupBy(decided, ({ id }) => id).values()].map(inAll).filter(isAnything);
  const gweiOf = ({ freed }: SaleChange) => cashbackOfCentBps(freed.centBps, rate);
  const sum = changes.reduce((total, one) => total + gweiOf(one), 0n);
  return {
    refused: null,
    why: null,
    second_person: sum > 0n && (await isBeyondDay(queries, actor, sum, services.approvals)),
    changes: changes.map((one) => ({
      sale_id: Number(one.id),
      wallet: one.wallet,
      was: one.was,
      state: one.state,
      adds: formatDecimal(one.freed.centBps, 6, 2),
      adds_chz: chzTextFromGwei(gweiOf(one)),
      is_sooner: one.freed.isSooner,
      debt_lifted: chzTextFromGwei(one.debtGwei < 0n ? -one.debtGwei : 0n),
      debt_added: chzTextFromGwei(one.debtGwei > 0n ? one.debtGwei : 0n),
    })),
  };
}

/** A sale that was decided more than once. */
function inAll(changes: readonly SaleChange[]): SaleChange {
  return changes.reduce((one, next) => ({
    ...next,
    was: one.was,
    freed: {
      centBps: one.freed.centBps + next.freed.centBps,
      isSooner: one.freed.isSooner || next.freed.isSooner,
    },
    debtGwei: one.debtGwei + next.debtGwei,
  }));
}

const isAnything = ({ was, state, freed, debtGwei }: SaleChange): boolean =>
  was !== state || freed.centBps > 0n || freed.isSooner || debtGwei !== 0n;
