/** Restores a backup to a new, empty database: `npm run restore -- --from FILE [--purchase-gap N]`. */

import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { makeFilesPrivate } from "../database/private-files.ts";
import { failureText } from "../platform/failure-text.ts";
import { UsageError } from "../platform/usage-error.ts";
import { copyPictures } from "./backup/copy-pictures.ts";
import { readArchive } from "./backup/read-archive.ts";
import { actAsOwnerOf } from "./operator/act-as-owner.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";

/** More purchases than are made between two backups; their ids may be tickets on chain by now. */
const PURCHASE_GAP = 100_000n;

makeFilesPrivate();
try {
  const { values } = parseArgs({ options: { from: { type: "string" }, "purchase-gap": { type: "string" } } });
  if (!values.from)
    throw new UsageError("--from is missing: npm run restore -- --from data/backups/torcida-….jsonl.gz");
  const gap = values["purchase-gap"] ?? String(PURCHASE_GAP);
  if (!/^\d{1,12}$/.test(gap)) throw new UsageError("--purchase-gap must be a whole number");
  const { databaseUrl, network, dataDirectory } = readOperatorEnvironment(process.env);
  actAsOwnerOf(dataDirectory);
  const { rows, createdAt } = await readArchive(values.from, { databaseUrl, network, purchaseGap: BigInt(gap) });
  const pictures = copyPictures(join(dirname(values.from), "assets"), join(dataDirectory, "assets"));
  if (pictures > 0) console.log(`${pictures} pictures are restored to ${join(dataDirectory, "assets")}`);
  console.log(
    `${rows} rows of ${createdAt} are restored. Payouts are paused: start the indexer, wait until it is ready,`,
  );
  console.log("run npm run reconcile, and resume payouts once it finds no difference.");
} catch (error) {
  console.error(failureText(error));
  process.exitCode = 1;
}
