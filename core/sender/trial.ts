import type { PublicClient } from "viem";
import { readRevert } from "../chain/revert.ts";
import type { OperationKind } from "../database/operations.ts";
import { isAboutNodes } from "../process/rpc/chain-client.ts";
import { idsOf } from "../rules/records.ts";
import { explanationOf } from "../rules/unknown-error.ts";
import type { Call, Encoder, Refusal, Verdict } from "./encoder.ts";
import { moveUnsent, setKindAside } from "./moves.ts";
import { subjectOf } from "./operation-record.ts";
import { enqueueAgain, type Operation } from "./queue.ts";
import { refusedFor, shortened } from "./refusal.ts";
import { endsRound, type SenderContext } from "./sender-context.ts";

/** Delay before retrying an operation that the contracts reject for a temporary reason. */
const RETRY_MS = 3_000n;

/** Why a call cannot be sent: the contracts' reason, or in whatever words its data or the node refuse it. */
export async function tryCall(
  { options: { database }, wallet }: SenderContext,
  client: PublicClient,
  { encoder, call, operations }: { encoder: Encoder; call: Call; operations: readonly Operation[] },
): Promise<Refusal | undefined> {
  try {
    const { to, data, gasLimit: gas } = call;
    await client.call({ account: wallet, to, data, gas });
    return undefined;
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    const revert = readRevert(error);
    if (!revert || revert.name === "Revert") return refusedFor(explanationOf(error));
    return encoder.readRefusal(database.kysely, revert, operations).catch((unread: unknown) => {
      if (isNobodysFault(unread)) throw unread;
      return refusedFor(`${revert.name}: ${explanationOf(unread)}`);
    });
  }
}

/** The call, or why these operations cannot be encoded. */
export async function tryEncode(
  { options: { database } }: SenderContext,
  encoder: Encoder,
  operations: readonly Operation[],
): Promise<{ call: Call } | { refusal: Refusal }> {
  try {
    return { call: await encoder.encode(database.kysely, operations) };
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    return { refusal: refusedFor(explanationOf(error)) };
  }
}

/** Whether an error says nothing about the operation that met it. */
export function isNobodysFault(error: unknown): boolean {
  return endsRound(error) || isAboutNodes(error);
}

/** Stores the consequence of a refusal for operations that cannot be sent now. */
export async function settle(
  { write, options: { log } }: SenderContext,
  operations: readonly Operation[],
  verdict: Verdict,
  prerequisite?: Refusal["prerequisite"],
): Promise<void> {
  const ids = idsOf(operations);
  await write(async (queries) => {
    if (prerequisite) await enqueueAgain(queries, prerequisite);
    if (verdict.kind === "done") await moveUnsent(queries, ids, { to: "done" });
    else if (verdict.kind === "never") await moveUnsent(queries, ids, { to: "failed", text: verdict.text });
    else if (verdict.reason !== "refused")
      await moveUnsent(queries, ids, { to: "waiting", afterMs: RETRY_MS, ...verdict });
    else {
      for (const operation of operations) {
        const { kind: _, ...subject } = subjectOf(operation);
        const [[name, id] = []] = Object.entries(subject);
        const text = shortened(`${name} ${id}: ${verdict.text}`);
        await moveUnsent(queries, [operation.id], { to: "parked", attempts: operation.attempts, text });
      }
    }
  });
  for (const operation of operations) {
    const isNews = verdict.kind !== "later" || operation.reason !== verdict.reason;
    if (isNews) log.info({ ...subjectOf(operation), verdict }, "Not sent now");
  }
}

export async function settleKind(
  { write, options: { log } }: SenderContext,
  kind: OperationKind,
  verdict: Verdict,
): Promise<void> {
  if (verdict.kind !== "later") throw new Error(`A whole kind can only be set aside, not ${verdict.kind}`);
  await write((queries) => setKindAside(queries, kind, { afterMs: RETRY_MS, ...verdict }));
  log.debug({ kind, verdict }, "Set a kind of operations aside");
}
