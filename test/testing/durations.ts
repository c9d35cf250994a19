import { appendFileSync } from "node:fs";
import { relative } from "node:path";

/** Where `npm test` wants to read how long each file took, a line for each; it loads this file into mocha's workers. */
const { TEST_DURATIONS } = process.env;
let began = 0;

export const mochaHooks = {
  beforeAll(): void {
    began = performance.now();
  },
  afterAll(this: Mocha.Context): void {
    const file = this.test?.parent?.suites[0]?.file ?? this.test?.parent?.tests[0]?.file;
    if (!TEST_DURATIONS || !file) return;
    const line = [relative(process.cwd(), file), Math.round(performance.now() - began)];
    appendFileSync(TEST_DURATIONS, `${JSON.stringify(line)}\n`);
  },
};
