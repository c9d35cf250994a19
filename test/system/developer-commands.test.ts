import { spawnSync } from "node:child_process";
import { expect } from "chai";

/** Called wrongly, as people do, and what it says. */
const CALLS: readonly [call: string, says: RegExp][] = [
  ["test/run.ts --help", /^Unknown option '--help'; its options are --deep, --release, --since$/],
  ["test/run.ts nothing", /^No such part: nothing. Parts: .*\bcontracts\b/],
  ["test/long/fuzz-contracts.ts --help", /^Unknown option '--help'; its options are --minutes, --seed$/],
  ["test/long/fuzz-contracts.ts --minutes soon", /^--minutes must be a number from 0 on, not "soon"$/],
  ["test/long/fuzz-contracts.ts --seed 12", /^--seed must be hexadecimal, 0x…, not "12"$/],
  ["test/long/main.ts chaos --loudly", /^Unknown option '--loudly'; its options are --seed, --database, /],
  ["test/long/main.ts", /; the scenarios are chaos, cluster, histories$/],
  ["test/mutate/main.ts --help", /^Unknown option '--help'; its options are --only, /],
  ["test/mutate/main.ts --from top", /^--from must be a whole number from 1 on, not "top"$/],
  [
    "test/browser/screenshots.ts --help",
    /^Unknown option '--help'; its options are --language, --theme, --width, --against$/,
  ],
  ["test/browser/screenshots.ts --language de", /^--language must be one of pt, en, not "de"$/],
  ["test/browser/screenshots.ts data/none nowhere", /^There is no screen nowhere; the screens are .*\bpanel-log\b/],
  ["test/bench/main.ts", /^There is no benchmark "";/],
  ["test/bench/main.ts indexer --runs 0", /^--runs must be a whole number from 1 on, not "0"$/],
  [
    "test/bench/main.ts scale --purchases",
    /^Option '--purchases <value>' argument missing; its options are --purchases, /,
  ],
  ["scripts/developer/licences.ts extra", /^Unexpected argument 'extra'; its options are --sbom$/],
];

describe("A developer's command called with a wrong option", function () {
  this.timeout(300_000);

  for (const [call, says] of CALLS) {
    it(`${call} ends with one sentence, and has begun nothing`, () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, call.split(" "), { encoding: "utf8" });
      const lines = stderr.trim().split("\n");
      expect([status, stdout, lines.length], stderr).to.deep.equal([2, "", 1]);
      expect(lines[0]).to.match(says);
    });
  }
});
