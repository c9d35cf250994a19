import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";

/** Ignored by git. `npx playwright-core show-trace FILE` opens a trace. */
const FOLDER = join(import.meta.dirname, "../../../data/failed-tests");

/** The browsers of this process. */
export const browsers = new Set<Browser>();

/** Keeps a picture of each open page and a trace of what its test did, and prints where. */
export async function keepFailedVisits(test: Mocha.Runnable): Promise<void> {
  const contexts = [...browsers].flatMap((browser) => browser.contexts());
  if (contexts.length === 0) return;
  mkdirSync(FOLDER, { recursive: true });
  const name = test
    .fullTitle()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 120);
  let count = 0;
  for (const context of contexts) {
    const base = join(FOLDER, `${name}-${++count}`);
    const [page] = context.pages().slice(-1);
    // What the test closed itself cannot be kept, and must not hide why it failed.
    await page?.screenshot({ path: `${base}.png`, timeout: 5_000 }).catch(() => {});
    await context.tracing.stopChunk({ path: `${base}.zip` }).catch(() => {});
    console.error(`${test.fullTitle()}: ${base}.png, ${base}.zip`);
  }
}
