import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "chai";

import type { Role } from "../../core/rules/roles.ts";
import {
  examineAdmins,
  examineApprovals,
  examineSaleRefKey,
  unknownNames,
} from "../../scripts/doctor/examine-env-file.ts";

const PRELOAD = resolve("core/process/env-file.ts");

describe("The file .env", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "torcida-env-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (env: Record<string, string> = {}) => {
    const parameters = ["--import", PRELOAD, "--print", "[process.env.PORT, process.env.NETWORK].join()"];
    const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env.PATH, ...env },
    });
    return { status, stdout: stdout.trim(), stderr };
  };

  it("is not missed: a start without one is silent", () => {
    expect(run()).to.deep.equal({ status: 0, stdout: ",", stderr: "" });
  });

  it("is read, and the environment takes precedence", () => {
    writeFileSync(join(folder, ".env"), "# comment\nPORT=3100\nNETWORK='spicy'\n");
    expect(run()).to.deep.equal({ status: 0, stdout: "3100,spicy", stderr: "" });
    expect(run({ PORT: "3200" })).to.deep.equal({ status: 0, stdout: "3200,spicy", stderr: "" });
  });

  it("prevents the start with one line if it cannot be read", () => {
    mkdirSync(join(folder, ".env"));
    const { status, stderr } = run();
    expect(status).to.equal(1);
    expect(stderr).to.match(/^\.env cannot be read \(.+\)\n$/);
  });

  it("has names that nothing reads pointed out by the doctor, and none that are documented", () => {
    const documented = readFileSync(".env.example", "utf8");
    const file =
      "RPC_URL=https://rpc.example\nPAYOUT_PAUSED=true\nRPC_URLS=https://rpc.example\nNODE_OPTIONS=--max-old-space-size=512\n";
    expect(unknownNames(file, documented)).to.have.members(["RPC_URL", "PAYOUT_PAUSED"]);
    const all = [...documented.matchAll(/^# ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => `${name}=x`);
    expect(unknownNames(all.join("\n"), documented)).to.deep.equal([]);
    const page = readFileSync("docs/going-live.md", "utf8");
    const [, settings = ""] = /cat >\/etc\/torcida\.env <<END\n([\s\S]*?)\nEND/.exec(page) ?? [];
    expect(settings.split("\n")).to.have.length.above(10);
    expect(unknownNames(settings, documented)).to.deep.equal([]);
  });

  it("is read by every command that an operator runs", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
    const commands = Object.entries(scripts).filter(([, line]) =>
      /\b(scripts(?!\/developer)|api|indexer|core\/sales)\/\w/.test(line),
    );
    expect(commands.length).to.be.greaterThan(10);
    // What runs until it is ended takes the shell's place.
    const without = commands.filter(
      ([, line]) => !/^(exec )?node --import \.\/core\/process\/env-file\.ts /.test(line),
    );
    expect(without).to.deep.equal([]);
    for (const [name, line] of commands) {
      const file = line.split(" ").find((word) => /^(scripts|api|indexer|core\/sales)\//.test(word)) ?? "";
      expect(readFileSync(file, "utf8"), `${name} -- --help`).to.match(/^\/\*\*\s/);
    }
  });

  it("does not matter to --help, which says what the command does, in place of doing it", () => {
    mkdirSync(join(folder, ".env"));
    const parameters = ["--import", PRELOAD, resolve("scripts/prove.ts"), "--help"];
    const { status, stdout } = spawnSync(process.execPath, parameters, { cwd: folder, encoding: "utf8" });
    expect(status).to.equal(0);
    expect(stdout)
      .to.match(/^Verifies a wallet's .+`npm run prove -- --wallet/)
      .and.not.to.include("import ");
  });

  it("warns on mainnet where one person may pay any sum", () => {
    const states = (CHAIN_ID: number, APPROVAL_ABOVE_CHZ?: number) =>
      examineApprovals({ CHAIN_ID, APPROVAL_ABOVE_CHZ }).map(({ state }) => state);
    expect([states(88888), states(88888, 500), states(88882)]).to.deep.equal([["warning"], [], []]);
  });
});

describe("The key of what is hashed", () => {
  it("is missed off the local chain, also where no sale is paid", () => {
    const states = (network: "localhost" | "spicy" | "chiliz", SALE_REF_KEY?: string) =>
      examineSaleRefKey({ network, SALE_REF_KEY }).map(({ state }) => state);
    expect([states("spicy"), states("chiliz"), states("spicy", "ab".repeat(32)), states("localhost")]).to.deep.equal([
      ["warning"],
      ["warning"],
      [],
      [],
    ]);
  });
});

describe("The admins of a public shop", () => {
  const examine = (admins: string[], more: object = {}) =>
    examineAdmins({
      network: "spicy",
      ADMIN_WALLETS: admins.map((role, index) => ({ wallet: `0x${index}`, role: role as Role, isContract: false })),
      APPROVAL_ABOVE_CHZ: 500,
      BOOST_APPROVAL_ABOVE_PERCENT: 10,
      ...more,
    }).map(({ detail }) => detail);

  it("are warned about while nobody, or one person alone, may decide what takes two", () => {
    expect(examine([])).to.deep.equal(["nobody can use the panel"]);
    expect(examine(["owner"])).to.deep.equal([
      "payouts above 500 CHZ a day take two persons, and only one wallet may decide them: they would wait for ever",
      "boosts and percents above 10 % take two persons, and only one wallet may decide them: they would wait for ever",
    ]);
    const [missing, ...more] = examine(["owner", "operator", "auditor"]);
    expect(missing).to.match(/^boosts and percents .* only one wallet/);
    expect(more).to.deep.equal([]);
    expect(examine(["operator", "operator"])[0]).to.match(/ no wallet may decide them/);
  });

  it("are enough if two may decide each, if nothing takes two, and on the local chain", () => {
    expect(examine(["owner", "owner"])).to.deep.equal([]);
    expect(examine(["owner", "catalogue", "operator"])).to.deep.equal([]);
    const alone = { APPROVAL_ABOVE_CHZ: undefined, BOOST_APPROVAL_ABOVE_PERCENT: 100 };
    expect(examine(["owner"], alone)).to.deep.equal([]);
    expect(examine(["owner"], { network: "localhost" })).to.deep.equal([]);
  });
});
