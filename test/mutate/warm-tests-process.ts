/**
 * Loads the test files named by its arguments, and runs them each time its parent asks. Works in the current directory.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Mocha from "mocha";
import type { Answer, Question } from "./warm-tests.ts";

/** Prints nothing; the parent does. */
class Silent extends Mocha.reporters.Base {}

process.env.HH_TEST = "true";
const mocha = new Mocha({ bail: true, timeout: 120_000, reporter: Silent });
mocha.cleanReferencesAfterRun(false);
for (const file of process.argv.slice(2)) mocha.addFile(resolve(file));
await mocha.loadFilesAsync();
const { networkHelpers } = await import(pathToFileURL(resolve("test/contracts/support/system.ts")).href);
const start = await networkHelpers.takeSnapshot();

process.on("message", async ({ first }: Question) => {
  await start.restore();
  // Fixtures contain contracts with the previous bytecode.
  networkHelpers.clearSnapshots();
  const wanted = first.map((file) => resolve(file));
  const rank = ({ file }: Mocha.Suite) => (wanted.includes(file ?? "") ? wanted.indexOf(file ?? "") : wanted.length);
  mocha.suite.suites.sort((a, b) => rank(a) - rank(b));
  let failed: string | undefined;
  const runner = mocha.run(() => process.send?.({ failed } satisfies Answer));
  runner.on("fail", (test) => {
    failed ??= test.fullTitle();
  });
});
