/** Makes one address, signature or list of words, and is ended: nothing derived stays. */
import { accountOf, wordsOf } from "./derivation.ts";
import type { Work, WorkDone, WorkOrder } from "./work.ts";

addEventListener("message", async ({ data }: MessageEvent<WorkOrder>) => {
  const tell = (done: WorkDone) => postMessage(done);
  try {
    tell({ result: await resultOf(data.prf, data.work) });
  } catch (error) {
    tell({ problem: String(error) });
  } finally {
    data.prf.fill(0);
  }
});

async function resultOf(prf: Uint8Array<ArrayBuffer>, work: Work): Promise<string> {
  if (work.kind === "words") return wordsOf(prf);
  const account = await accountOf(prf);
  if (work.kind === "message") return account.signMessage({ message: { raw: work.message } });
  if (work.kind === "transaction") return account.signTransaction(work.transaction);
  return account.address.toLowerCase();
}
