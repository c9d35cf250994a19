import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { listUnnamed } from "./chain-names.ts";

/** Changes with every write, and when a store's name is registered on chain. */
export async function readCatalogueVersion(queries: Queries): Promise<string> {
  const written = (await readSetting(queries, "catalogue_version")) ?? "0";
  return `${written} ${(await listUnnamed(queries)).join(" ")}`;
}

/** Must be called in every catalogue write, so that other processes drop their cache. */
export async function bumpCatalogueVersion(queries: Queries): Promise<void> {
  await writeSetting(queries, "catalogue_version", crypto.randomUUID());
}
