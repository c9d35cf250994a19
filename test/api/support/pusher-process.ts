import pino from "pino";
import { Registry } from "prom-client";
import { readEnvironment } from "../../../api/environment.ts";
import { startPusher } from "../../../api/push/delivery.ts";
import type { Services } from "../../../api/services.ts";
import { connect } from "../../../core/database/connect.ts";
import { standIn } from "../../testing/stand-in.ts";

/** The pusher alone in a process, to be ended or killed: `node pusher-process.ts DATABASE_URL`. */
const database = await connect(process.argv[2] ?? "");
const end = startPusher(
  standIn<Services>({ database, environment: readEnvironment(process.env), log: pino() }),
  new Registry(),
);
process.on("SIGTERM", async () => {
  await end();
  process.exit(0);
});
setInterval(() => {}, 60_000);
