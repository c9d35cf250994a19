import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { expect } from "chai";
import { HttpRequestError } from "viem";
import { failureText, UsageError } from "../../core/process/failure-text.ts";

describe("What a process says as it ends", () => {
  it("names the section that explains an error of ours", () => {
    const error = new UsageError("Use: npm run key");
    expect(failureText(error)).to.equal(`Use: npm run key (${error.docs})`);
  });

  it("never contains the node's URL, which may hold a provider's key, nor the request", () => {
    const error = new HttpRequestError({
      url: "https://rpc.example/secret",
      body: { to: "0x1" },
      details: "no answer",
    });
    expect(error.message).to.include("secret");
    expect(failureText(error)).to.equal("HTTP request failed. no answer");
  });

  it("names a file that is missing, and where a command's arguments are listed", () => {
    const thrownBy = (act: () => unknown): unknown => {
      try {
        act();
      } catch (error) {
        return error;
      }
      throw new Error("nothing was thrown");
    };
    expect(failureText(thrownBy(() => readFileSync("no/backup.gz")))).to.equal("There is no file no/backup.gz");
    const program = Object.assign(new Error("spawn pg_dump ENOENT"), { code: "ENOENT", syscall: "spawn pg_dump" });
    expect(failureText(program)).to.equal("spawn pg_dump ENOENT");
    expect(failureText(thrownBy(() => parseArgs({ args: ["backup.gz"] })))).to.match(
      /^Unexpected argument 'backup\.gz'\..*\(README\.md#commands\)$/,
    );
  });

  it("is the value itself if no error was thrown", () => {
    expect(failureText("away")).to.equal("away");
  });
});
