import { parentPort } from "node:worker_threads";
import { connect } from "../../core/database/connect.ts";
import { reportOpen } from "../../core/database/sqlite/thread.ts";
import { runInBackground } from "../../core/process/background-thread.ts";
import { type Reconciliation, reconcile } from "../../core/reconcile/reconcile.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import { readEnvironment } from "../environment.ts";
import { openReconcile } from "./open-reconcile.ts";

/** The thread behind the reconciler of `housekeeping.ts`: runs one comparison per message. */

export type ReconcilerAnswer = { result: Reconciliation } | { message: string };

runInBackground();
const environment = readEnvironment(process.env);
const database = await connect(environment.DATABASE_URL, { mustExist: true }).finally(() => reportOpen());
const { options } = await openReconcile(environment, database);

parentPort?.on("message", async () => {
  const answer = await reconcile(options).then(
    (result) => ({ result }),
    (error: unknown) => ({ message: messageOf(error) }),
  );
  parentPort?.postMessage(answer satisfies ReconcilerAnswer);
});
