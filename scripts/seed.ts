/** Brings the schema up to date and fills an empty catalogue with the samples. Safe to run again. */
import { join } from "node:path";
import { seedCatalogue } from "../catalogue/seed.ts";
import { findDeployment } from "../chain/deployment.ts";
import { connect } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { CHILIZ_CHAIN_ID } from "../domain/product.ts";
import { readEnvironment } from "./start/environment.ts";

try {
  const environment = readEnvironment(process.env);
  const isPublic = environment.RPC_URLS !== undefined;
  const network = !isPublic ? "localhost" : environment.CHAIN_ID === CHILIZ_CHAIN_ID ? "chiliz" : "spicy";
  const fanTokens = findDeployment(network)?.fanTokens ?? [];
  const database = await connect(environment.DATABASE_URL ?? join(environment.DATA_DIR, "torcida.db"));
  await migrate(database);
  await seedCatalogue(database, Object.fromEntries(fanTokens.map((token) => [token.slug, token.address])));
  await database.close();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
