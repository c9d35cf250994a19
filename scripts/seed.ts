/** Brings the schema up to date and fills an empty catalogue with the samples. Safe to run again. */
import { seedCatalogue } from "../catalogue/seed.ts";
import { findDeployment } from "../chain/deployment.ts";
import { connect } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";

try {
  const { network, databaseUrl } = readOperatorEnvironment(process.env);
  const fanTokens = findDeployment(network)?.fanTokens ?? [];
  const database = await connect(databaseUrl);
  await migrate(database);
  await seedCatalogue(database, Object.fromEntries(fanTokens.map((token) => [token.slug, token.address])));
  await database.close();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
