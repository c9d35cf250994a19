import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import Mocha from "mocha";

/** Where `npm test` wants to read what failed: a line of JSON `{ file, title, reason }` for each failure. */
const { TEST_FAILURES } = process.env;

/** Mocha's usual output. */
class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test: Mocha.Test, { message }: Error) => {
      if (!TEST_FAILURES || !test.file) return;
      // Whatever a library throws: a reporter that fails ends the run.
      const [reason = ""] = String(message).split("\n");
      const failure = { file: relative(process.cwd(), test.file), title: test.fullTitle(), reason };
      appendFileSync(TEST_FAILURES, `${JSON.stringify(failure)}\n`);
    });
  }
}

// Mocha loads a reporter with `require`.
export { Reporter as "module.exports" };
