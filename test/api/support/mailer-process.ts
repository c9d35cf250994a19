import pino from "pino";
import { readEnvironment } from "../../../api/environment.ts";
import { startMailer } from "../../../api/mail/delivery.ts";
import { openPost } from "../../../api/mail/transport.ts";
import type { Services } from "../../../api/services.ts";
import { connect } from "../../../core/database/connect.ts";
import { standIn } from "../../testing/stand-in.ts";

/** The mailer alone in a process, to be ended or killed: `node mailer-process.ts DATABASE_URL`. */
const database = await connect(process.argv[2] ?? "");
const environment = readEnvironment(process.env);
const end = startMailer(standIn<Services>({ database, environment, post: openPost(environment), log: pino() }));
process.on("SIGTERM", async () => {
  await end();
  process.exit(0);
});
setInterval(() => {}, 60_000);
