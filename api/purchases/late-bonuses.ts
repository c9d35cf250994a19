import { inTransaction, isDatabaseAway } from "../../core/database/transaction.ts";
import { NoAgreementError, type Quorum } from "../../core/process/rpc/every-node.ts";
import { READ_UNTIL_MS, TWO_HOSTS_AFTER_MS } from "../../core/rules/bonus-read.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import {
  decideLateBonus,
  endLateBonus,
  type LateBonus,
  type LateOutcome,
  listLateBonuses,
  postponeLateBonus,
} from "../../core/sales/late-bonuses.ts";
import type { Services } from "../services.ts";
import { bonusFor } from "./registration.ts";

const AT_ONCE = 20;
const FIRST_AGAIN_MS = 2_000n;
const LATEST_AGAIN_MS = 60_000n;
const ASKER = "late bonuses";

/**
 * Reads balances that could not be had at their click, and decides what follows. One that cannot be decided is tried again,
 * and keeps no other waiting. docs/product.md#bonus-read
 */
export async function decideLateBonuses(services: Services): Promise<void> {
  const { kysely } = services.database;
  for (const late of await listLateBonuses(kysely, AT_ONCE)) {
    try {
      await decide(services, late);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      await inTransaction(kysely, (queries) => postponeLateBonus(queries, late, LATEST_AGAIN_MS));
      services.log.warn({ [late.of]: Number(late.id), reason: messageOf(error) }, "A late bonus could not be decided");
    }
  }
}

async function decide(services: Services, late: LateBonus): Promise<void> {
  const { database, saleRules, log } = services;
  if (late.of === "clicks" && late.read.state === "known")
    return inTransaction(database.kysely, (queries) => endLateBonus(queries, late.id, saleRules));
  const outcome = await readLate(services, late);
  await inTransaction(database.kysely, (queries) =>
    outcome
      ? decideLateBonus(queries, late, outcome, saleRules)
      : postponeLateBonus(queries, late, againAfter(ageOf(late))),
  );
  if (outcome) log.info({ [late.of]: Number(late.id), bps: outcome.bonusBps ?? null }, "A late bonus was decided");
}

/** Undefined: it is read again. */
async function readLate(services: Services, late: LateBonus): Promise<LateOutcome | undefined> {
  const { wallet, read } = late;
  const ask = async (quorum: Quorum) => {
    const question = { asker: ASKER, at: { number: Number(read.block) }, quorum };
    return bonusFor(await services.balances.agreed(wallet, read.contract, question), read, read.program);
  };
  const age = ageOf(late);
  const quorums: Quorum[] = age < TWO_HOSTS_AFTER_MS ? ["all"] : ["all", "two hosts"];
  let why = "";
  for (const quorum of quorums) {
    try {
      return { bonusBps: await ask(quorum) };
    } catch (error) {
      if (!(error instanceof NoAgreementError)) throw error;
      why = error.why;
    }
  }
  const isFinal = age >= TWO_HOSTS_AFTER_MS && (why === "different" || why === "gone");
  return isFinal || age >= READ_UNTIL_MS ? { bonusBps: undefined } : undefined;
}

function ageOf({ createdAt }: LateBonus): bigint {
  return BigInt(Date.now()) - createdAt;
}

/** A tenth of its age. */
function againAfter(age: bigint): bigint {
  const wanted = age / 10n;
  if (wanted < FIRST_AGAIN_MS) return FIRST_AGAIN_MS;
  return wanted > LATEST_AGAIN_MS ? LATEST_AGAIN_MS : wanted;
}
