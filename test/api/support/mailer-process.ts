import pino from "pino";
import { readEnvironment } from "../../../api/environment.ts";
import { startMailer } from "../../../api/mail/mailer.ts";
import { openPost } from "../../../api/mail/post.ts";
import type { Services } from "../../../api/services.ts";
import { connect } from "../../../database/connect.ts";
import { standIn } from "../../testing/stand-in.ts";

/** The mailer alone in a process, to be killed: `node mailer-process.ts DATABASE_URL`. */
const database = await connect(process.argv[2] ?? "");
startMailer(standIn<Services>({ database, post: openPost(readEnvironment(process.env)), log: pino() }));
setInterval(() => {}, 60_000);
