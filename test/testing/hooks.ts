import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { keepFailedVisits } from "../browser/support/failed-visits.ts";

/** Where `npm test` wants to read how long each file took, a line for each. */
const { TEST_DURATIONS } = process.env;
let began = 0;

export const mochaHooks = {
  beforeAll(): void {
    began = performance.now();
  },
  /** Of browsers that a test's own hooks have not closed. */
  async afterEach(this: Mocha.Context): Promise<void> {
    if (this.currentTest?.state === "failed") await keepFailedVisits(this.currentTest);
  },
  afterAll(this: Mocha.Context): void {
    const file = this.test?.parent?.suites[0]?.file ?? this.test?.parent?.tests[0]?.file;
    if (!TEST_DURATIONS || !file) return;
    const line = [relative(process.cwd(), file), Math.round(performance.now() - began)];
    appendFileSync(TEST_DURATIONS, `${JSON.stringify(line)}\n`);
  },
};
