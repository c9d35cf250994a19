/** Makes one address, signature or list of words, and is ended: nothing derived stays. */
import { accountOf, wordsOf } from "./derivation.ts";
import type { WorkDone, WorkOrder } from "./work.ts";

addEventListener("message", async ({ data }: MessageEvent<WorkOrder>) => {
  const tell = (done: WorkDone) => postMessage(done);
  try {
    tell(await doneOf(data));
  } catch (error) {
    tell({ problem: String(error) });
  } finally {
    data.prf.fill(0);
  }
});

async function doneOf({ prf, work, own }: WorkOrder): Promise<WorkDone> {
  const account = await accountOf(prf);
  const address = account.address.toLowerCase();
  // Of another wallet nothing is signed, and no words are shown that would be taken for this one's.
  if (own !== undefined && own !== address) return { isAnother: true };
  if (work.kind === "words") return { result: await wordsOf(prf) };
  if (work.kind === "message") return { result: await account.signMessage({ message: { raw: work.message } }) };
  if (work.kind === "transaction") return { result: await account.signTransaction(work.transaction) };
  return { result: address };
}
