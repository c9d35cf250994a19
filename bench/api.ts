/**
 * `npm run bench -- api`: reads and registrations per second compared with a bare Express route that sends the same bytes, on
 * SQLite and PostgreSQL; and purchases per second through the sender compared with a loop of one transaction each.
 */
import { benchOutbox } from "./api/outbox.ts";
import { benchReads } from "./api/reads.ts";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const PURCHASES = Number(process.env.BENCH_PURCHASES ?? 3_000);

const reads = [...(await benchReads("sqlite", SECONDS)), ...(await benchReads("postgres", SECONDS))];
console.table(reads);
const outbox = await benchOutbox(PURCHASES);
console.table(outbox);
console.log(JSON.stringify({ bench: "api", reads, outbox }));
process.exit(0);
