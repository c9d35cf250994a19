import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { readParts } from "../../scripts/rehearse/page-blocks.ts";

describe("docs/going-live.md", () => {
  it("has only blocks that a shell can read", () => {
    const parts = readParts(readFileSync("docs/going-live.md", "utf8"));
    expect(parts.filter((part) => part.kind === "shell")).to.have.length.above(15);
    for (const part of parts) {
      if (part.kind !== "shell") continue;
      const { status, stderr } = spawnSync("bash", ["-n", "-c", part.text], { encoding: "utf8" });
      expect(status, `${part.heading}: ${stderr}`).to.equal(0);
    }
  });

  it("asks of people only what the rehearsal knows how to do", () => {
    const asked = readParts(readFileSync("docs/going-live.md", "utf8")).flatMap((part) =>
      part.kind === "by hand" ? [part.what] : [],
    );
    const known = readFileSync("scripts/rehearse/spicy.ts", "utf8");
    expect(asked).to.have.length.above(4);
    for (const what of asked) expect(known, what).to.include(`case "${what}":`);
  });
});
