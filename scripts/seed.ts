/**
 * Migrates the schema and fills an empty catalogue with the samples, whose tickets the local chain draws in the colours of
 * their clubs. Safe to run again.
 */

import { sendFirstLooks } from "../core/catalogue/chain-looks.ts";
import { seedCatalogue } from "../core/catalogue/seed.ts";
import { findDeployment } from "../core/chain/deployment.ts";
import { connect } from "../core/database/connect.ts";
import { failureText } from "../core/process/failure-text.ts";
import { prepareDatabase } from "../core/process/prepare-database.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";

try {
  const { network, databaseUrl, dataDirectory } = readOperatorEnvironment(process.env);
  const fanTokens = findDeployment(network)?.fanTokens ?? [];
  const onWait = (reason: string) => console.log(`Waiting for the database: ${reason}`);
  await prepareDatabase({ databaseUrl, dataDirectory, network, onWait });
  const database = await connect(databaseUrl);
  await seedCatalogue(database, {
    contracts: Object.fromEntries(fanTokens.map((token) => [token.slug, token.address])),
    // The sample stores are not real: they may sell on the local chain only.
    withStores: network === "localhost",
  });
  // Nothing costs there: its tickets look as their clubs from the first one on.
  if (network === "localhost") await sendFirstLooks(database);
  await database.close();
} catch (error) {
  console.error(failureText(error));
  process.exitCode = 1;
}
