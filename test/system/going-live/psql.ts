/** Replaces `psql -c STATEMENT` as the superuser of the rehearsal's PostgreSQL. */
import pg from "pg";

const statements = process.argv.flatMap((one, index, all) => (all[index - 1] === "-c" ? [one] : []));
const client = new pg.Client({ connectionString: process.env.REHEARSAL_POSTGRES });
await client.connect();
try {
  for (const statement of statements) console.log((await client.query(statement)).command);
} finally {
  await client.end();
}
