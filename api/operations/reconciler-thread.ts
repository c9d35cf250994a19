import { parentPort } from "node:worker_threads";
import { connect } from "../../database/connect.ts";
import { reportOpen } from "../../database/sqlite/thread.ts";
import { messageOf } from "../../domain/unknown-error.ts";
import { runInBackground } from "../../platform/background-thread.ts";
import { type Reconciliation, reconcile } from "../../reconcile/reconcile.ts";
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
