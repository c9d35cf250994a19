import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import express from "express";
import { readEnvironment } from "../../api/environment.ts";
import type { Services } from "../../api/services.ts";
import { serveFrontend } from "../../api/site/serve-frontend.ts";
import { SharedFiles } from "../../api/site/shared-files.ts";
import { readStaticFiles } from "../../api/site/static-files.ts";
import { fixedRate } from "../../core/rates/rate-source.ts";

describe("The content policy of the web app", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "torcida-policy-"));
    mkdirSync(join(folder, ".vite"));
    const missing = ["<!doctype html><title>Torcida</title>"];
    writeFileSync(join(folder, ".vite/pages.json"), JSON.stringify({ pages: [], missing }));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function policyFor(variables: Record<string, string>): Promise<Map<string, string[]>> {
    const { headers } = await answerFor(variables, "/stores");
    const text = headers.get("content-security-policy") ?? "";
    return new Map(text.split(";").map((part) => [part.split(" ")[0] ?? "", part.split(" ").slice(1)]));
  }

  async function answerFor(variables: Record<string, string>, path: string): Promise<Response> {
    const environment = readEnvironment(variables);
    // The pages connect to no other service.
    const services = {
      environment,
      network: environment.network,
      contracts: { purchaseNft: `0x${"11".repeat(20)}`, cashbackDistributor: `0x${"22".repeat(20)}` },
      startBlock: 0n,
      rates: fixedRate(10n ** 16n),
    } as Services;
    const server: Server = createServer(
      express().use(serveFrontend(services, folder, new SharedFiles(services.database, readStaticFiles(folder)))),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      return await fetch(`http://127.0.0.1:${port}${path}`);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  const SPICY = {
    RPC_URLS: "https://rpc.example/secret-key",
    OPERATOR_PRIVATE_KEY: `0x${"12".repeat(32)}`,
    PUBLIC_URL: "https://torcida.example",
  };

  it("lets no page use what the shop never asks a browser for", async () => {
    const answer = await answerFor({}, "/stores");
    expect(answer.headers.get("permissions-policy")).to.include("camera=()").and.include("geolocation=()");
  });

  it("allows only our own scripts, and connections to us and the chain's public RPC", async () => {
    const policy = await policyFor({});
    expect(policy.get("script-src")).to.deep.equal(["'self'"]);
    expect(policy.get("connect-src")).to.deep.equal(["'self'", "http://127.0.0.1:8545"]);
    expect(policy.get("frame-src")).to.deep.equal(["'none'"]);
    const onSpicy = await policyFor(SPICY);
    expect(onSpicy.get("connect-src")).to.include("https://spicy-rpc.chiliz.com");
    expect(onSpicy.get("connect-src")?.join(" ")).not.to.match(/rpc\.example|https:(\s|$)|wss:(\s|$)|walletconnect/);
  });

  it("allows WalletConnect's relay only if it is configured", async () => {
    const policy = await policyFor({ ...SPICY, VITE_WALLETCONNECT_PROJECT_ID: "0123456789abcdef" });
    expect(policy.get("connect-src")).to.include("wss://relay.walletconnect.org");
    expect(policy.get("frame-src")).to.include("https://verify.walletconnect.org");
    expect(policy.get("script-src")).to.deep.equal(["'self'"]);
  });

  it("allows the operator's web-analytics script from its own address", async () => {
    const policy = await policyFor({ VITE_ANALYTICS_URL: "https://count.example/script.js" });
    expect(policy.get("script-src")).to.deep.equal(["'self'", "https://count.example"]);
    expect(policy.get("connect-src")).to.include("https://count.example");
    expect((await policyFor({ VITE_ANALYTICS_URL: "/measure.js" })).get("script-src")).to.deep.equal(["'self'"]);
  });
});
