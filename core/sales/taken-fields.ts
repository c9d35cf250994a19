import { z } from "zod";
import { findWaiting, type ProposedFields, propose } from "../database/proposals.ts";
import type { Queries } from "../database/transaction.ts";
import { NETWORK_ACTOR, type ProposalKind } from "../rules/proposals.ts";
import { keysOf } from "../rules/records.ts";
import type { ProgrammeRow } from "./programme-rows.ts";
import { setSuggestion } from "./programme-rows.ts";
import type { Matched } from "./programme-stores.ts";

/*
 * What a store took of its programme once: a network's account can be taken over, so no later word of it changes where
 * buyers go, or by which name they know the store. docs/product.md#programmes-changes
 */

const KINDS = {
  store_link: ["name", "store_url", "domains"],
  store_account: ["link_code"],
} as const satisfies Partial<Record<ProposalKind, readonly string[]>>;
type TakenField = (typeof KINDS)[keyof typeof KINDS][number];
const FIELDS: readonly TakenField[] = Object.values(KINDS).flat();

const takenSchema = z.partialRecord(z.enum(FIELDS), z.string().nullable());

/** What a store has taken of a programme, as it is kept. */
export function takenOf(programme: Pick<ProgrammeRow, TakenField>): string {
  return JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, programme[field]])));
}

export type Taken = {
  programme: Pick<ProgrammeRow, "id" | TakenField>;
  store: Matched["store"];
  changed: readonly TakenField[];
};

/** What a network says otherwise than when a store took it. docs/product.md#programmes-changes */
export function takenChanges({ store, programmes }: Matched): Taken[] {
  return programmes.flatMap((programme) => {
    if (programme.taken === null || programme.missing_since !== null) return [];
    const taken = takenSchema.parse(JSON.parse(programme.taken));
    const changed = FIELDS.filter((field) => (taken[field] ?? null) !== programme[field] && programme[field] !== null);
    if (changed.length === 0) return [];
    const { id, name, store_url, domains, link_code } = programme;
    return [{ programme: { id, name, store_url, domains, link_code }, store, changed }];
  });
}

/** Asks a person for it, once; while something else of that kind waits, later. docs/product.md#programmes-changes */
export async function proposeTaken(queries: Queries, { programme, store, changed }: Taken): Promise<void> {
  for (const kind of keysOf(KINDS)) {
    const fields = changed.filter((field) => KINDS[kind].some((one) => one === field));
    const differing = fields.filter((field) => store[field] !== programme[field]);
    if (differing.length === 0) continue;
    const waiting = await findWaiting(queries, kind, store.id);
    if (waiting && waiting.asked_by !== NETWORK_ACTOR) return;
    const at = (row: Pick<ProgrammeRow, TakenField>): ProposedFields =>
      Object.fromEntries(differing.map((field) => [field, row[field]]));
    const wish = { kind, subject: store.id, from: at(store), to: at(programme) };
    await propose(queries, wish, { actor: NETWORK_ACTOR, hasOthers: true });
  }
  await setSuggestion(queries, [programme.id], { suggestion: "accepted", taken: takenOf(programme) });
}
