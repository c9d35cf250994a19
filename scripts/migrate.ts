/**
 * Creates or upgrades the database schema and exits: `npm run migrate`. The api and the indexer do the same on start.
 */

import { makeFilesPrivate } from "../core/database/private-files.ts";
import { failureText } from "../core/process/failure-text.ts";
import { prepareDatabase } from "../core/process/prepare-database.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";

makeFilesPrivate();
try {
  const { databaseUrl, dataDirectory, network } = readOperatorEnvironment(process.env);
  const onWait = (reason: string) => console.error(`Waiting for the database: ${reason}`);
  await prepareDatabase({ databaseUrl, dataDirectory, network, onWait });
  console.log(`The database of ${network} has this version's schema`);
} catch (error) {
  console.error(failureText(error));
  process.exitCode = 1;
}
