/** Restores a backup to a new, empty database: `npm run restore -- --from FILE`. */

import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { leftText, mergeErasedList, readErasedList } from "../api/people/erased-list.ts";
import { locationOf } from "../core/database/connect.ts";
import { makeFilesPrivate } from "../core/database/private-files.ts";
import { checkVariables } from "../core/process/environment.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { SALE_VARIABLES } from "../core/sales/environment.ts";
import { copyPictures } from "./backup/copy-pictures.ts";
import { readArchive } from "./backup/read-archive.ts";
import { actAsOwnerOf } from "./operator/act-as-owner.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";
import { actingOn } from "./operator/open-database.ts";

makeFilesPrivate();
try {
  const { values } = parseArgs({ options: { from: { type: "string" } } });
  if (!values.from)
    throw new UsageError("--from is missing: npm run restore -- --from data/backups/torcida-….jsonl.gz");
  const environment = readOperatorEnvironment(process.env);
  const { databaseUrl, network, dataDirectory, erasedFile } = environment;
  const { SALE_REF_KEY, SALE_REF_KEYS } = SALE_VARIABLES;
  const keys = checkVariables({ SALE_REF_KEY, SALE_REF_KEYS }, process.env);
  actAsOwnerOf(dataDirectory);
  console.log(actingOn(locationOf(databaseUrl), environment));
  const folder = dirname(values.from);
  // Before the database, which cannot be filled a second time.
  mergeErasedList(join(folder, "erased"), erasedFile);
  const pictures = await copyPictures(join(folder, "assets"), join(dataDirectory, "assets"));
  const erased = readErasedList(erasedFile, keys);
  const { rows, createdAt, left, newer } = await readArchive(values.from, { databaseUrl, network, erased });
  const again = leftText(left, erased);
  if (again) console.log(again);
  if (newer.length > 0)
    console.log(
      `Left out, because only a newer version has it: ${newer.join(", ")}. Its restore of the same file keeps it`,
    );
  if (pictures > 0) console.log(`${pictures} pictures are restored to ${join(dataDirectory, "assets")}`);
  console.log(
    `${rows} rows of ${createdAt} are restored, and nothing is sent: start the indexer, wait until it is ready,`,
  );
  console.log("and run npm run restored.");
} catch (error) {
  console.error(failureText(error));
  process.exitCode = 1;
}
