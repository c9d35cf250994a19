import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import Mocha from "mocha";

/** Where `npm test` wants to read which files had a failure, a line for each failure. */
const { TEST_FAILURES } = process.env;

/** Mocha's usual output. */
class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, ({ file }) => {
      if (TEST_FAILURES && file) appendFileSync(TEST_FAILURES, `${relative(process.cwd(), file)}\n`);
    });
  }
}

// Mocha loads a reporter with `require`.
export { Reporter as "module.exports" };
