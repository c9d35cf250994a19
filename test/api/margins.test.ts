import { readFileSync } from "node:fs";
import { expect } from "chai";
import { originOf } from "../../api/http/origin.ts";
import { ALLOWANCES } from "../../api/http/purses.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { type Answer, PERSON } from "../testing/shopper.ts";
import { Caller } from "./support/caller.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const LIVE = { SIMULATED_PURCHASES: "false", AFFILIATE_SECRETS: "acme:secret-of-acme-that-is-long-enough" };
const OFFICE = "203.0.113.5";
/** Crowds are a tenth as large as they are told, and so are the purses. */
const TENTH = 0.1;
const FILES_OF_A_PAGE = 15;
const POLLS_A_MINUTE = 60;

type Used = { calls: number; thread: number; stored: number; node: number; signIns: number };

/** Plays the calls of the web app of honest people through the gate. docs/testing.md#strangers tells the same figures. */
describe("Honest people behind one address @deep", function () {
  this.timeout(300_000);
  onEitherEngine(({ name, open: openDatabase }) => {
    describe(`on ${name}`, () => {
      const table = readFileSync("docs/testing.md", "utf8");
      let api: InProcessApi;
      let used: Used;

      const open = async (scale: number) => {
        const { database } = await openDatabase();
        api = await startInProcess(database, { RATE_LIMIT_SCALE: String(scale), TRUST_PROXY: "loopback", ...LIVE });
        used = { calls: 0, thread: 0, stored: 0, node: 0, signIns: 0 };
        const { gate } = api.services;
        const spend = gate.spend.bind(gate);
        gate.spend = async (payer, cost, signsIn = false) => {
          const receipt = await spend(payer, cost, signsIn);
          if (payer.kind !== "origin" || originOf(payer.address) !== OFFICE) return receipt;
          used.calls++;
          used.thread += cost.thread;
          used.stored += cost.stored;
          used.node += cost.node;
          used.signIns += Number(signsIn);
          return {
            ...receipt,
            giveBack: (kinds) => {
              for (const kind of kinds ?? []) used[kind] -= cost[kind];
              receipt.giveBack(kinds);
            },
          };
        };
      };
      afterEach(() => api.stop());

      /** What they used, of an address that has this scale, as the table tells it. */
      function expectRow(who: string, scale: number): void {
        const { thread, stored, node, signIns } = used;
        const { aMinute, together } = ALLOWANCES.address;
        const percent = (part: number, whole: number) => `${Math.ceil((100 * part) / (whole * scale))} %`;
        const shares = [
          percent(thread, aMinute.thread),
          percent(stored, aMinute.stored),
          percent(node, aMinute.node),
          percent(signIns, together.sign_in),
        ];
        const told = table.split("\n").find((line) => line.startsWith(`| ${who} |`));
        expect(told).to.equal(`| ${who} | ${Math.round(used.calls / scale)} | ${shares.join(" | ")} |`);
      }

      it("are a family of five who register and buy: a few percent of any limit", async () => {
        await open(1);
        const family = Array.from({ length: 5 }, () => new Person(api.url, OFFICE));
        await Promise.all(
          family.map(async (one) => {
            await one.openSite();
            await one.enter();
            await one.click();
            await one.poll(POLLS_A_MINUTE);
          }),
        );
        expectRow("a family of five: each registers, buys and watches the dashboard for a minute", 1);
      });

      it("are a club's office on match day: 200 people with sessions", async () => {
        await open(TENTH);
        const people = await settled(api.url, 20);
        await inTens(people, async (one) => {
          await one.openSite();
          await one.click();
          await one.poll(10);
        });
        expectRow("a club's office on match day: 200 people with sessions, a page, a click and ten polls each", TENTH);
      });

      it("are 200 people who register within a minute", async () => {
        await open(TENTH);
        const people = Array.from({ length: 20 }, () => new Person(api.url, OFFICE));
        await inTens(people, async (one) => {
          await one.openSite();
          await one.enter();
          await one.click();
        });
        expectRow("200 people who register and click within a minute", TENTH);
      });

      it("are a mobile carrier's customers: 2,000 people, ten calls each, a click of each fifth", async () => {
        await open(TENTH);
        const people = await settled(api.url, 200);
        await inTens(people, async (one, index) => {
          const clicks = index % 5 === 0;
          for (const path of ["/api/config", "/api/stores", "/api/stores/1", "/api/fan-tokens"]) await one.ask(path);
          await one.poll(clicks ? 5 : 6);
          if (clicks) await one.click();
        });
        expectRow("a mobile carrier's NAT: 2,000 people, ten calls each, a click of each fifth", TENTH);
      });
    });
  });
});

/** A browser at an address; nothing that it asks for is refused. */
class Person extends Caller {
  from: string;

  constructor(url: string, from: string) {
    super(url);
    this.from = from;
  }

  override async raw(method: string, path: string, body?: string, headers = {}): Promise<Answer> {
    const answer = await super.raw(method, path, body, { ...headers, "x-forwarded-for": this.from });
    expect(answer.status, `${method} ${path}`).to.not.equal(429);
    return answer;
  }

  ask(path: string): Promise<Answer> {
    return this.raw("GET", path);
  }

  /** The first page with its files, and what it asks for. */
  async openSite(): Promise<void> {
    await this.ask("/");
    for (let file = 1; file < FILES_OF_A_PAGE; file++) await this.ask(`/assets/${file}.js`);
    for (const path of ["/api/config", "/api/stores", "/api/fan-tokens"]) await this.ask(path);
  }

  override async enter(): Promise<void> {
    const { challenge } = (await this.raw("POST", "/api/check-user", JSON.stringify({ address: this.address }))).body;
    const signature = await this.account.signMessage({ message: challenge.message });
    const proof = { address: this.address, signature, nonce: challenge.nonce };
    const person = { ...PERSON, email: `${this.address}@example.com`, mail_language: "pt" };
    this.token = (
      await this.raw("POST", "/api/register-user-data", JSON.stringify({ ...person, ...proof }))
    ).body.token;
    for (const path of ["/api/is-admin", "/api/me/mail", "/api/events", "/api/clicks"]) await this.ask(path);
  }

  async click(): Promise<void> {
    const click = { user: this.address, store_id: 1, amount: 100 };
    const { status, text } = await this.raw("POST", "/api/register-purchase", JSON.stringify(click));
    expect(status, text).to.equal(200);
  }

  /** The dashboard, which asks each second. */
  async poll(times: number): Promise<void> {
    for (let turn = 0; turn < times; turn++) expect((await this.ask("/api/me")).status).to.equal(200);
  }
}

/** People who registered elsewhere, on other days. */
async function settled(url: string, count: number): Promise<Person[]> {
  const people = Array.from({ length: count }, (_, index) => new Person(url, `198.51.100.${index + 1}`));
  for (const one of people) {
    await one.enter();
    one.from = OFFICE;
  }
  return people;
}

/** Ten at a time. */
async function inTens<T>(all: readonly T[], play: (one: T, index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += 10) {
    await Promise.all(all.slice(from, from + 10).map((one, index) => play(one, from + index)));
  }
}
