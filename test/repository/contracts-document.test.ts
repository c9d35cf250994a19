import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "chai";
import { build } from "../../core/chain/generated/build.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";

const page = readFileSync("docs/contracts.md", "utf8");
const figures = JSON.parse(readFileSync("test/contracts/gas-snapshot.json", "utf8")) as Record<string, number>;
/** docs/product.md#chain-facts */
const LOWEST_BASE_FEE_GWEI = 2_500;
const BLOCK_SECONDS = 3;
const BLOCK_GAS = 30_000_000;
const grouped = (number: number) => Math.round(number).toLocaleString("en-US");

/** Checks the statements of docs/contracts.md against the code. */
describe("docs/contracts.md", () => {
  it("names the compiler settings that the bytecode was built with", () => {
    const { compiler, evmVersion, viaIR, optimizerRuns, libraries } = build;
    expect(page).to.include(`| compiler | solc ${compiler.split("+")[0]}${viaIR ? ", IR pipeline" : ""} |`);
    expect(page).to.include(`| EVM version | ${evmVersion} |`);
    const names = {
      purchaseNft: "PurchaseNFT",
      cashbackDistributor: "CashbackDistributor",
      ticketDescriptor: "TicketDescriptor",
    } as const;
    for (const [key, name] of Object.entries(names)) {
      expect(page).to.include(`| optimizer runs, \`${name}\` | ${optimizerRuns[key as keyof typeof names]} |`);
    }
    for (const library of libraries) {
      const [, name, version] = /^@?(\w+).*@([\d.]+)$/.exec(library) ?? [];
      expect(page).to.match(new RegExp(`${name} ${version}`, "i"));
    }
  });

  it("states every gas figure as it was measured", () => {
    const rows = [...page.matchAll(/^\| `(\w+)`[^|]*\| ([\d,]+) \|$/gm)];
    expect(rows.length).to.be.greaterThan(10);
    for (const [, name = "", told] of rows) expect(told, name).to.equal(grouped(figures[name] ?? 0));
    for (const name of ["payLargestNew", "payLargestHostile", "payLargestScatteredHostile"]) {
      expect(page).to.match(new RegExp(`\`${name}\`\\s+${grouped(figures[name] ?? 0)}`));
    }
    const { payBatchExisting = 0 } = figures;
    const decision = readFileSync("docs/decisions/0007-one-rate-a-batch.md", "utf8");
    expect(decision).to.include(`${grouped(payBatchExisting)} of 15,400`);
  });

  it("derives from them what docs/ says of a purchase's gas, a block and a million gas", () => {
    const operations = readFileSync("docs/operations.md", "utf8").replace(/\s+/g, " ");
    const [mint = 0, confirm = 0, pay = 0] = [
      figures.mintBatchDistinctReturningBuyers,
      figures.confirmRun,
      figures.payBatchExisting,
    ];
    const single = (figures.mintReturningBuyer ?? 0) + (figures.confirmOne ?? 0) + (figures.payStrict ?? 0);
    const batched = mint + confirm + pay;
    const chz = (gas: number) => ((gas * LOWEST_BASE_FEE_GWEI) / 1e9).toFixed(3);
    const aSecond = (gas: number) => Math.floor(BLOCK_GAS / 4 / BLOCK_SECONDS / gas);
    expect(operations)
      .to.include(`costs ${grouped(single)} gas`)
      .and.include(`${grouped(batched)} in full batches`);
    expect(operations).to.include(`${chz(single)} and ${chz(batched)} CHZ`);
    expect(operations).to.include(
      `${aSecond(pay)} payouts, ${aSecond(mint)} mints or ${aSecond(batched)} complete purchases a second`,
    );
    const runbook = readFileSync("docs/runbook/wallet-empty.md", "utf8");
    expect(runbook).to.include(`${(1e6 * LOWEST_BASE_FEE_GWEI) / 1e9} CHZ for a million gas`);
  });

  it("names every library with assembly, and every error by its contract", () => {
    const sources = globSync("contracts/**/*.sol").map((path) => ({ path, text: readFileSync(path, "utf8") }));
    const withAssembly = sources.filter(({ text }) => /\bassembly \(/.test(text)).map(({ path }) => basename(path));
    expect(withAssembly.sort()).to.deep.equal(["TicketReader.sol", "TicketSlot.sol"]);
    expect(page).to.match(/Assembly is used only in `TicketSlot`[^.]*and in `TicketReader`/);
    for (const { path, text } of sources) {
      const place = basename(path, ".sol").replace(/^I(?=[A-Z])/, "");
      for (const [, error = ""] of text.matchAll(/^ +error (\w+)/gm))
        expect(error, path).to.match(new RegExp(`^${place}_`));
    }
  });

  it("states how many hard names are drawn", () => {
    const { length } = globSync("test/contracts/pictures/hostile-*.svg");
    expect(page.replaceAll("\n", " ")).to.include(`extreme values and ${length} hard names`);
  });

  it("states the total gas that a recipient gets", () => {
    const source = readFileSync("contracts/CashbackDistributor.sol", "utf8");
    const handed = Number(/RECIPIENT_GAS = ([\d_]+)/.exec(source)?.[1]?.replaceAll("_", ""));
    expect(page).to.include(`${grouped(handed)} gas handed over, ${grouped(handed + 2_300)} with what the EVM adds`);
  });

  it("names only functions, events and tests that exist", () => {
    const known = new Set<string>(
      [...purchaseNftAbi, ...cashbackDistributorAbi].map((item) => ("name" in item ? item.name : "")),
    );
    for (const name of [
      "retire",
      "isRetired",
      "withdrawCredit",
      "sweep",
      "setDescriptor",
      "setStoreColour",
      "paidWord",
    ])
      if (page.includes(`\`${name}`)) expect(known.has(name), name).to.equal(true);
    expect(page).not.to.include("importPaid(");
    const solidity = ["CashbackDistributor", "PurchaseNFT", "Invariants"]
      .map((name) => readFileSync(`test/contracts/fuzz/${name}.t.sol`, "utf8"))
      .join("\n");
    const named = new Set([...page.matchAll(/`(testFuzz_\w+)`/g)].map(([, name]) => name ?? ""));
    for (const name of named) expect(solidity, name).to.include(`function ${name}(`);
    const checked = [...solidity.matchAll(/_handler\.(\w+)\(\);/g)].map(([, name]) => `(\`${name}\`)`);
    expect(checked.length).to.be.greaterThan(5);
    for (const name of checked) expect(page).to.include(name);
  });

  it("states how long invariants and properties run", () => {
    const config = readFileSync("hardhat.config.ts", "utf8");
    const lengths = [...config.matchAll(/(\w+): \{ runs: (\d+), depth: (\d+), propertyRuns: (\d+) \}/g)];
    expect(lengths).to.have.length(3);
    const text = page.replaceAll("\n", " ");
    for (const [, command, runs, depth, propertyRuns] of lengths) {
      const said = `${runs} runs of ${depth} steps and ${propertyRuns} runs of each property`;
      expect(text).to.match(new RegExp(`npm (run )?${command}\\b[^.]* makes ${said}`));
    }
  });

  it("has every role in its table of keys", () => {
    const roles = [...purchaseNftAbi, ...cashbackDistributorAbi].flatMap((item) =>
      item.type === "function" && item.name.endsWith("_ROLE") && item.name !== "DEFAULT_ADMIN_ROLE" ? [item.name] : [],
    );
    for (const role of [...new Set(roles), "ADMIN_ROLE"]) {
      expect(page).to.match(new RegExp(`^\\| ${role.replace("_ROLE", "").toLowerCase()} \\|`, "m"));
    }
  });
});

/** The interface says to a caller what a function emits and with which error it reverts. */
describe("NatSpec", () => {
  for (const [contract, abi] of [
    ["PurchaseNFT", purchaseNftAbi],
    ["CashbackDistributor", cashbackDistributorAbi],
  ] as const) {
    const declaration = readFileSync(`contracts/interfaces/I${contract}.sol`, "utf8");
    const sources = declaration + readFileSync(`contracts/${contract}.sol`, "utf8");
    const named = new Set([...sources.matchAll(/^ +\/\/\/.*$/gm)].flatMap(([line]) => bracedNames(line)));

    it(`of ${contract} names each of its errors and events at a function that uses it`, () => {
      const declared = [...declaration.matchAll(/^ {4}(?:error|event) (\w+)\(/gm)].map(([, name]) => name);
      expect(declared).to.have.length.greaterThan(20);
      expect(declared.filter((name) => !named.has(name ?? ""))).to.deep.equal([]);
    });

    it(`of ${contract} names nothing that does not exist`, () => {
      const known = new Set<string>(abi.map((item) => ("name" in item ? item.name : "")));
      const own = [...named].filter(
        (name) => !name.includes("-") && !/^(I?[A-Z]\w+(NFT|Descriptor|Purchase))$/.test(name),
      );
      expect(own.filter((name) => !known.has(name))).to.deep.equal([]);
    });
  }
});

/** `{Name}`s of a line of NatSpec. */
function bracedNames(line: string): string[] {
  return [...line.matchAll(/\{([\w-]+)\}/g)].map(([, name]) => name ?? "");
}
