import { decide } from "./decide.ts";
import type { SaleFacts } from "./facts.ts";
import type { SaleRules } from "./rules.ts";

const BPS = 10_000n;

/** What an account may lose in a month, in cents × basis points. */
export const lossLimitOf = ({ limits }: Pick<SaleRules, "limits">): bigint => limits.marginLossCents * BPS;

/** `from`: the account's month of which the row says that it lost; `to`: the one in which the sale is. */
type Losing = { facts: SaleFacts; from: string; to: string };

/**
 * Which of these sales may lose more, in their order: first counts what any of them loses no longer, then each takes what it
 * needs while its account's month has lost less than the limit. `lost`: of those months, with these sales as they were
 * decided last. What was once taken stays taken, so deciding again changes nothing. docs/product.md#margin-loss
 */
export function shareLosses(
  sales: readonly Losing[],
  lost: ReadonlyMap<string, bigint>,
  rules: SaleRules,
  now: bigint,
): { mayLose: boolean[]; lost: ReadonlyMap<string, bigint> } {
  const after = new Map(lost);
  const add = (month: string, centBps: bigint) => after.set(month, (after.get(month) ?? 0n) + centBps);
  const alone = sales.map(({ facts }) => decide(facts, rules, now));
  for (const [index, { facts, from, to }] of sales.entries()) {
    add(from, -facts.lostCentBps);
    add(to, alone[index]?.lostCentBps ?? 0n);
  }
  const limit = lossLimitOf(rules);
  const mayLose = sales.map(({ facts, to }, index) => {
    const { needsLoss = false, lostCentBps = 0n } = alone[index] ?? {};
    if (!needsLoss || (after.get(to) ?? 0n) >= limit) return false;
    add(to, decide({ ...facts, mayLose: true }, rules, now).lostCentBps - lostCentBps);
    return true;
  });
  return { mayLose, lost: after };
}
