import { expect } from "chai";
import { HttpRequestError } from "viem";
import { failureText, UsageError } from "../../platform/failure-text.ts";

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

  it("is the value itself if no error was thrown", () => {
    expect(failureText("away")).to.equal("away");
  });
});
