import { hash } from "node:crypto";
import { updateStore } from "../../core/catalogue/store-rows.ts";
import { findStore } from "../../core/catalogue/stores.ts";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { getFromStranger } from "../../core/process/outside.ts";
import { plainText } from "../../core/rules/text.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import { LOGO_BYTES } from "../../core/rules/uploads.ts";
import { claimLogos, type ProgrammeRow } from "../../core/sales/programme-rows.ts";
import type { Services } from "../services.ts";
import { openAssetStore } from "./asset-store.ts";
import { readPicture } from "./picture.ts";

const AT_ONCE = 4;
const MAXIMUM_MS = 5_000;
const WORDS = 200;

type Given = Pick<Services, "database" | "environment" | "log">;

/**
 * Asks once for the pictures of stores that were made of suggestions, a few at a time. Whatever goes wrong, such a store has
 * its drawn mark, and staff can upload a logo. docs/product.md#suggested-logos
 */
export async function takeLogos(given: Given): Promise<void> {
  const due = await claimLogos(given.database.kysely, AT_ONCE);
  await Promise.all(
    due.map(async (programme) => {
      const { network, account, advertiser_id } = programme;
      const named = { network, account, programme: advertiser_id };
      try {
        if (await takeLogo(given, programme)) given.log.info(named, "A programme's logo was taken");
      } catch (error) {
        const reason = plainText(messageOf(error), WORDS);
        given.log.warn({ ...named, reason }, "A programme's logo could not be taken; upload one under Lojas");
      }
    }),
  );
}

async function takeLogo({ database, environment }: Given, programme: ProgrammeRow): Promise<boolean> {
  const { store_id, logo_url, network, account } = programme;
  const url = URL.parse(logo_url ?? "");
  const found = store_id === null ? undefined : await findStore(database.kysely, store_id);
  if (store_id === null || !url || !found || found.logo) return false;
  const file = await getFromStranger(url, {
    signal: AbortSignal.timeout(MAXIMUM_MS),
    maximumBytes: LOGO_BYTES,
    isLocal: environment.isLocal,
  });
  if (!file) return false;
  const { bytes, ending, type } = readPicture(file);
  const name = `${hash("sha256", bytes)}.${ending}`;
  await openAssetStore(environment.ASSETS_URL, environment.DATA_DIR).write(name, bytes, type);
  const logo = `/api/assets/${name}`;
  const actor = `network:${network}/${account}`;
  return inAuditedTransaction(database.kysely, null, async (queries) => {
    const store = await findStore(queries, store_id);
    // Somebody has uploaded one meanwhile.
    if (!store || store.logo || !(await updateStore(queries, store_id, { logo }))) return false;
    const detail = { store: store.name, logo };
    await appendAudit(queries, { actor, action: "store.logo", subject: `store:${store_id}`, detail });
    return true;
  });
}
