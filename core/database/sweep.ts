import { readSetting, type SettingName, writeSetting } from "./settings.ts";
import type { Queries } from "./transaction.ts";

type Mark = { at: bigint; id: bigint };

/**
 * Looks at rows once, in the order of a time and their id, when that time has come: what stays is never read again, so
 * that the work does not grow with the table. `look` returns the rows that it decided about, in that order. Returns
 * whether there may be more.
 */
export async function sweep(
  queries: Queries,
  name: Extract<SettingName, `${string}_swept`>,
  look: (after: Mark) => Promise<{ rows: readonly Mark[]; limit: number }>,
): Promise<boolean> {
  const [at = "0", id = "0"] = (await readSetting(queries, name))?.split(" ") ?? [];
  const { rows, limit } = await look({ at: BigInt(at), id: BigInt(id) });
  const last = rows.at(-1);
  if (last) await writeSetting(queries, name, `${last.at} ${last.id}`);
  return rows.length >= limit;
}
