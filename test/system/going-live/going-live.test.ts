import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { readParts } from "./page-blocks.ts";

const SPACES = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
const own = process.getuid?.() === 0 ? [] : ["--map-current-user", "--keep-caps"];
/** Without namespaces (some containers) the page would change the machine. */
const hasSpaces = spawnSync("unshare", [...own, ...SPACES, "ip", "link", "set", "lo", "up"]).status === 0;
const SHOWN = 6_000;

describe("docs/going-live.md @release", function () {
  this.timeout(600_000);

  it("has only blocks that a shell can read", () => {
    const parts = readParts(readFileSync("docs/going-live.md", "utf8"));
    expect(parts.filter((part) => part.kind === "shell")).to.have.length.above(15);
    for (const part of parts) {
      if (part.kind !== "shell") continue;
      const { status, stderr } = spawnSync("bash", ["-n", "-c", part.text], { encoding: "utf8" });
      expect(status, `${part.heading}: ${stderr}`).to.equal(0);
    }
  });

  it("has only manual steps that the rehearsal can perform", () => {
    const asked = readParts(readFileSync("docs/going-live.md", "utf8")).flatMap((part) =>
      part.kind === "by hand" ? [part.what] : [],
    );
    const known = readFileSync("test/system/going-live/main.ts", "utf8");
    expect(asked).to.have.length.above(4);
    for (const what of asked) expect(known, what).to.include(`case "${what}":`);
  });

  (hasSpaces ? it : it.skip)(
    "holds word for word, from an empty server to a purchase that is paid and one that is returned",
    async () => {
      const child = spawn(process.execPath, ["test/system/going-live/main.ts"], { stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          said += chunk.toString("utf8");
        });
      }
      const code = await new Promise((resolve) => child.once("close", resolve));
      expect(code, said.slice(-SHOWN)).to.equal(0);
      for (const line of ["The page holds", "Database and chain agree", "CashbackPaid", "is cancelled"])
        expect(said).to.include(line);
    },
  );
});
