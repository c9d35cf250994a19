import { expect } from "chai";
import type { BaseContract } from "ethers";
import { network } from "hardhat";
import { aPurchase, item } from "./support/system.ts";

/** `npm run explore` goes to 6. */
const DEPTH = Number(process.env.EXPLORE_DEPTH ?? 4);
const ACTORS = [
  "admin",
  "minter",
  "confirmer",
  "payer",
  "treasurer",
  "pauser",
  "stranger",
  "plain",
  "hostile",
] as const;
type Actor = (typeof ACTORS)[number];
const GENERATIONS = [1, 2, 3];
const [SMALL, LARGE] = [5n, 7n];
/** Both amounts fit into a day, but not the larger one twice. */
const WIDE = { maxWeiPerCent: 1n, maxPayout: LARGE, dailyCap: SMALL + LARGE };
const TIGHT = { maxWeiPerCent: 1n, maxPayout: SMALL, dailyCap: SMALL };
const RATE = 1n;
/** At that rate, 5 % of it is exactly the larger amount. */
const VALUE_CENTS = 140n;
const RULES = [
  "an id is paid at most once, over all generations",
  "the balance covers all credits",
  "no more is paid in a UTC day than the cap",
  "a ticket never moves, but once it is over its owner can burn it",
  "a status never moves back, and what is paid is Confirmed, or was",
  "a paid bit is never cleared",
  "no wei is lost or made",
];
const SUCCESSION = (1n << 256n) - 1n;
const MIDNIGHT = "midnight";
const DAY_SECONDS = 86_400;
const NOON = 1_900_000_800 - (1_900_000_800 % DAY_SECONDS) + DAY_SECONDS / 2;

/** A call, and who may make it. */
type Attempt = { name: string; target: number; data: string; by: readonly Actor[] };
type Step = bigint | typeof MIDNIGHT;

/**
 * Every sequence of calls by every role, buyers and a stranger, with two ids, two amounts, a plain and a hostile buyer,
 * midnight, pause, limits, retirement and succession. States that hold the same are visited once.
 */
describe("Every history of the deployed bytecode @deep", () => {
  for (const start of ["nothing minted", "two Confirmed tickets"] as const) {
    it(`keeps the rules in every state within ${DEPTH} calls of ${start}`, async function () {
      this.timeout(0);
      const explored = await explore(
        start === "nothing minted" ? [] : ["mint 1 plain", "mint 2 hostile", "confirm both"],
      );
      console.log(`      ${explored.states} states, ${explored.calls} calls, ${explored.seconds.toFixed(0)} s`);
      expect(explored.violations).to.deep.equal([]);
      expect(explored.states).to.be.greaterThan(500);
    });
  }
});

/** Visits every state once, those that take fewer calls first. */
async function explore(prelude: readonly string[]) {
  const started = performance.now();
  const chain = await deploy();
  await chain.follow(prelude.map((name) => chain.stepNamed(name)));
  await chain.keepRoot();
  const seen = new Set<string>([await chain.state()]);
  const violations: string[] = [];
  let calls = 0;
  let level: (readonly Step[])[] = [[]];
  for (let depth = 0; depth < DEPTH && violations.length === 0; depth++) {
    const next: (readonly Step[])[] = [];
    for (const steps of level) {
      await chain.returnToRoot();
      await chain.follow(steps);
      const reached = await chain.probe();
      calls += reached.length;
      for (const [index, result] of reached.entries()) {
        if (BigInt(result) === 0n) continue;
        const step = chain.steps[index] ?? 0n;
        const broken = Number.parseInt(result.slice(-2), 16);
        const told = () => [...steps, step].map((one) => chain.nameOf(one)).join(", ");
        if (broken !== 0) violations.push(`${RULES.filter((_, bit) => (broken >> bit) & 1).join("; ")}: ${told()}`);
        if (!chain.isAllowed(step)) violations.push(`nobody else may: ${told()}`);
        if (!seen.has(result)) next.push([...steps, step]);
        seen.add(result);
      }
      // Without a payment today, a new day changes nothing.
      if ((await chain.paidToday()) === 0n) continue;
      await chain.follow([MIDNIGHT]);
      const result = await chain.state();
      if (!seen.has(result)) next.push([...steps, MIDNIGHT]);
      seen.add(result);
    }
    level = next;
  }
  return { states: seen.size, calls, violations, seconds: (performance.now() - started) / 1000 };
}

async function deploy() {
  const connection = await network.create({
    override: {
      blockGasLimit: 10_000_000_000n,
      allowBlocksWithSameTimestamp: true,
      initialDate: new Date(NOON * 1000),
    },
  } as never);
  const { ethers, provider } = connection;
  const sink = "0x00000000000000000000000000000000000051a4";
  const { bytecode } = await ethers.getContractFactory("CashbackDistributor");
  const explorer: BaseContract = await ethers.deployContract("Explorer", [sink, bytecode], { value: 60n });
  const explorerAddress = await explorer.getAddress();
  const ask = (name: string, ...args: unknown[]) => explorer.getFunction(name).staticCall(...args);
  const actors: string[] = await Promise.all(ACTORS.map((_, index) => ask("actors", index)));
  const addressOf = (actor: Actor) => actors[ACTORS.indexOf(actor)] ?? "";
  const nft: BaseContract = await ethers.deployContract("PurchaseNFT", [
    addressOf("admin"),
    0,
    "https://a.example",
    ethers.ZeroAddress,
    ethers.ZeroAddress,
  ]);
  const nftAddress = await nft.getAddress();
  const admin = await ethers.getContractAt("Actor", addressOf("admin"));
  const asAdmin = (name: string, ...args: unknown[]) =>
    admin.getFunction("call").send(nftAddress, nft.interface.encodeFunctionData(name, args));
  for (const [role, actor] of [
    ["MINTER_ROLE", "minter"],
    ["CONFIRMER_ROLE", "confirmer"],
    ["CATALOGUE_ROLE", "admin"],
    ["PAUSER_ROLE", "pauser"],
  ] as const)
    await asAdmin("grantRole", ethers.id(role), addressOf(actor));
  await asAdmin("registerStore", 1, "Loja");
  await explorer.getFunction("start").send(nftAddress, WIDE);

  const distributor = await ethers.getContractAt("CashbackDistributor", await ask("generations", 0));
  await asAdmin("setDistributor", await distributor.getAddress());
  const attempts: Attempt[] = [];
  const add = (name: string, by: readonly Actor[], method: string, ...args: unknown[]) =>
    attempts.push({ name, target: 0, data: nft.interface.encodeFunctionData(method, args), by });
  for (const id of [1n, 2n]) {
    for (const buyer of ["plain", "hostile"] as const) {
      const purchase = aPurchase({
        id,
        buyer: addressOf(buyer),
        valueCents: VALUE_CENTS,
        baseBps: 500,
        bonusBps: 0,
      });
      add(`mint ${id} ${buyer}`, ["minter"], "mint", purchase, "");
    }
    add(`confirm ${id}`, ["confirmer"], "confirm", [id]);
    add(`cancel ${id}`, ["confirmer"], "cancel", [id]);
    for (const from of ["plain", "hostile"] as const)
      add(`transfer ${id} from ${from}`, [], "transferFrom", addressOf(from), sink, id);
    add(`approve ${id}`, [], "approve", sink, id);
    add(`return ${id}`, ["confirmer"], "markReturned", [id]);
    add(`burn ${id}`, ["plain", "hostile"], "burn", id);
  }
  add("confirm both", ["confirmer"], "confirm", [1n, 2n]);
  add("pause tickets", ["pauser"], "pause");
  add("unpause tickets", ["admin"], "unpause");
  for (const target of GENERATIONS) {
    const addPay = (name: string, by: readonly Actor[], method: string, ...args: unknown[]) =>
      attempts.push({
        name: `${name} (${target})`,
        target,
        data: distributor.interface.encodeFunctionData(method, args),
        by,
      });
    for (const id of [1n, 2n])
      for (const amount of [SMALL, LARGE]) addPay(`pay ${id} ${amount}`, ["payer"], "pay", id, amount, RATE);
    addPay("pay both", ["payer"], "payBatch", [item(1n, SMALL), item(2n, LARGE)], RATE);
    addPay("pay 1 twice", ["payer"], "payBatch", [item(1n, LARGE), item(1n, SMALL)], RATE);
    addPay("withdraw", ["plain", "hostile"], "withdrawCredit", sink);
    addPay("push to hostile", ACTORS, "pushCredit", addressOf("hostile"));
    addPay("withdraw to plain", ["plain", "hostile"], "withdrawCredit", addressOf("plain"));
    addPay("sweep 6", ["treasurer"], "sweep", addressOf("treasurer"), 6n);
    addPay("sweep 20", ["treasurer"], "sweep", addressOf("treasurer"), 20n);
    addPay("tighten", ["admin"], "setLimits", TIGHT);
    addPay("widen", ["admin"], "setLimits", WIDE);
    addPay("pause", ["pauser"], "pause");
    addPay("unpause", ["admin"], "unpause");
    addPay("retire", ["admin"], "retire");
  }
  await explorer.getFunction("add").send(attempts.map(({ target, data }) => ({ target, data })));

  const steps = ACTORS.flatMap((_, actor) => attempts.map((_, index) => (BigInt(actor) << 16n) | BigInt(index)));
  steps.push(SUCCESSION);
  const partsOf = (step: bigint) => ({
    actor: ACTORS[Number(step >> 16n)] ?? "stranger",
    attempt: attempts[Number(step & 0xffffn)],
  });
  const probing = explorer.interface.encodeFunctionData("probe", [steps]);
  const [sender] = await ethers.getSigners();
  const request = (method: string, ...params: unknown[]) => provider.request({ method, params }) as Promise<string>;
  const transact = (name: string, ...args: unknown[]) =>
    request("eth_sendTransaction", {
      from: sender?.address,
      to: explorerAddress,
      data: explorer.interface.encodeFunctionData(name, args),
      gas: "0x10000000",
    });
  let snapshot = "";
  return {
    steps,
    state: (): Promise<string> => ask("state"),
    paidToday: (): Promise<bigint> => ask("paidToday"),
    isAllowed: (step: bigint) => step === SUCCESSION || (partsOf(step).attempt?.by ?? []).includes(partsOf(step).actor),
    nameOf(step: Step): string {
      if (step === MIDNIGHT) return MIDNIGHT;
      if (step === SUCCESSION) return "succession";
      const { actor, attempt } = partsOf(step);
      return `${actor}: ${attempt?.name}`;
    },
    stepNamed(name: string): bigint {
      const index = attempts.findIndex((one) => one.name === name);
      const [actor = "stranger"] = attempts[index]?.by ?? [];
      return (BigInt(ACTORS.indexOf(actor)) << 16n) | BigInt(index);
    },
    async keepRoot(): Promise<void> {
      snapshot = await request("evm_snapshot");
    },
    async returnToRoot(): Promise<void> {
      await request("evm_revert", snapshot);
      // It is used up.
      snapshot = await request("evm_snapshot");
    },
    /** Each run of calls is one transaction; a midnight is followed by a noon. */
    async follow(path: readonly Step[]): Promise<void> {
      let run: bigint[] = [];
      for (const step of [...path, undefined]) {
        if (typeof step === "bigint") {
          run.push(step);
          continue;
        }
        if (run.length > 0) await transact("follow", run);
        run = [];
        if (step !== MIDNIGHT) continue;
        const { timestamp } = (await ethers.provider.getBlock("latest")) ?? { timestamp: 0 };
        await request("evm_setNextBlockTimestamp", timestamp + DAY_SECONDS);
        await transact("startDay");
      }
    },
    async probe(): Promise<string[]> {
      const answer = await request("eth_call", {
        from: sender?.address,
        to: explorerAddress,
        data: probing,
        gas: "0x200000000",
      });
      return [...(explorer.interface.decodeFunctionResult("probe", answer)[0] as string[])];
    },
  };
}
