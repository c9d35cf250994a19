import { expect } from "chai";
import { LRUCache } from "lru-cache";
import { Gate, type Payer } from "../../api/http/gate.ts";
import { blockOf, originOf } from "../../api/http/origin.ts";
import { ALLOWANCES } from "../../api/http/purses.ts";
import { type EndTurn, type Rank, Turns } from "../../api/http/turns.ts";
import type { Database } from "../../core/database/connect.ts";
import { forgetAlive, sayAlive } from "../../core/process/lease.ts";
import { onBothEngines, onEitherEngine } from "../testing/databases.ts";
import { PERSON } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

/** Without the thread's part, for which they would wait for turns. */
const CLICK = { thread: 0, node: 1, stored: 845, mail: 0 };
const LIVE = { SIMULATED_PURCHASES: "false", AFFILIATE_SECRETS: "acme:secret-of-acme-that-is-long-enough" };
const PUBLIC = { RATE_LIMIT_SCALE: "1", TRUST_PROXY: "loopback" };

describe("The purses", function () {
  this.timeout(300_000);

  onEitherEngine(({ name, open }) => {
    describe(`of people behind one address, on ${name}`, () => {
      let api: InProcessApi;
      beforeEach(async () => {
        api = await startInProcess((await open()).database, { ...PUBLIC, ...LIVE });
      });
      afterEach(() => api.stop());

      /** What the web app asks for from the first page to a click. */
      const join = async (from: string): Promise<number[]> => {
        const caller = new Caller(api.url);
        const statuses: number[] = [];
        const ask = async (method: string, path: string, body?: object) => {
          const answer = await caller.raw(method, path, body && JSON.stringify(body), { "x-forwarded-for": from });
          statuses.push(answer.status);
          return answer.body;
        };
        for (const path of ["/api/config", "/api/stores", "/api/fan-tokens"]) await ask("GET", path);
        const { challenge } = await ask("POST", "/api/check-user", { address: caller.address });
        const signature = await caller.account.signMessage({ message: challenge?.message ?? "" });
        const proof = { address: caller.address, signature, nonce: challenge?.nonce };
        const person = { ...PERSON, email: `${caller.address}@example.com`, mail_language: "pt" };
        caller.token = (await ask("POST", "/api/register-user-data", { ...person, ...proof })).token;
        for (const path of ["/api/is-admin", "/api/me/mail", "/api/events", "/api/clicks"]) await ask("GET", path);
        await ask("POST", "/api/register-purchase", { user: caller.address, store_id: 1, amount: 100 });
        return statuses;
      };

      // A busy machine keeps some waiting for three seconds, and refuses them; margins.test.ts counts without a clock.
      it("let 200 people behind one IPv4 address register and click, all within a minute @release", async () => {
        const seen = new Set<number>();
        for (let group = 0; group < 10; group++) {
          const joined = await Promise.all(Array.from({ length: 20 }, () => join("203.0.113.5")));
          for (const status of joined.flat()) seen.add(status);
        }
        expect([...seen]).to.deep.equal([200]);
      });
    });

    it(`stop a hundred wallets of one address, and nobody else, on ${name}`, async () => {
      const { database } = await open();
      const gate = new Gate({ RATE_LIMIT_SCALE: 1 }, database);
      const calls = await flood(gate, 100, 12_000);
      expect(calls).to.be.at.most(ALLOWANCES.address.aMinute.stored / CLICK.stored + 1);
      expect(gate.refused.get("address")).to.equal(12_000 - calls);
      await gate.spend({ kind: "origin", address: "198.51.100.7", wallet: "0xother" }, CLICK);
      // A buyer who was paid once, behind the same address, spends from another purse.
      await gate.spend({ kind: "origin", address: "203.0.113.5", wallet: "0xbuyer", wasPaid: true }, CLICK);
      await gate.spend({ kind: "account", account: "direct acme" }, CLICK);
    });
  });

  onBothEngines(({ name, open }) => {
    it(`let probes begin at once, but of an address that asks all the time, on ${name}`, async () => {
      const { database } = await open();
      const gate = new Gate({ RATE_LIMIT_SCALE: 1 }, database);
      const begun: string[] = [];
      const call = async (name: string, address: string, isProbe?: true) => {
        const cost = { thread: 1, node: 0, stored: 0, mail: 0 };
        const { begin } = await gate.spend({ kind: "origin", address, isProbe }, cost);
        const end = await begin();
        begun.push(name);
        end();
      };
      const flood = Array.from({ length: 200 }, () => call("flood", "203.0.113.7", true));
      const others = [call("balancer", "198.51.100.1", true), call("visitor", "198.51.100.2")];
      await Promise.all([...flood, ...others]);
      expect(begun.filter((one) => one === "flood")).to.have.length(200);
      // 120 ms of the thread are not much yet.
      for (const name of ["balancer", "visitor"]) expect(begun.indexOf(name)).to.be.within(1, 140);
    });

    it(`are shared by the apis that are alive, on ${name}`, async () => {
      const { database } = await open();
      expect(await sayAlive(database, "api", "api:1:a", 60_000)).to.equal(1);
      expect(await sayAlive(database, "api", "api:2:b", 60_000)).to.equal(2);
      await sayAlive(database, "indexer", "indexer:3:c", 60_000);
      await sayAlive(database, "api", "api:4:dead", -1);
      expect(await sayAlive(database, "api", "api:1:a", 60_000)).to.equal(2);
      await forgetAlive(database, "api:2:b");
      await forgetAlive(database);
      const left = await database.kysely.selectFrom("leases").select("holder").orderBy("holder").execute();
      expect(left.map(({ holder }) => holder)).to.deep.equal(["api:1:a", "indexer:3:c"]);
      const [whole, half] = [new Gate({ RATE_LIMIT_SCALE: 1 }, database), new Gate({ RATE_LIMIT_SCALE: 1 }, database)];
      half.share(2);
      expect(await flood(half, 100, 6_000)).to.be.closeTo((await flood(whole, 100, 6_000)) / 2, 2);
    });

    it(`count sign-ins and e-mails for all apis together, on ${name}`, async () => {
      const { database, again } = await open();
      const gates = [
        new Gate({ RATE_LIMIT_SCALE: 0.01 }, database),
        new Gate({ RATE_LIMIT_SCALE: 0.01 }, await again()),
      ];
      const signIn = { thread: 0, node: 0, stored: 0, mail: 0 };
      const payer: Payer = { kind: "origin", address: "203.0.113.5" };
      const outcomes: boolean[] = [];
      for (let index = 0; index < 14; index++) {
        const gate = gates[index % 2] as Gate;
        outcomes.push(await isTaken(gate.spend(payer, signIn, true)));
      }
      expect(outcomes).to.deep.equal([...Array(10).fill(true), ...Array(4).fill(false)]);
      const mail = { ...signIn, mail: 1 };
      expect(await isTaken((gates[0] as Gate).spend({ ...payer, wallet: "0x1" }, mail))).to.equal(true);
      expect(await isTaken((gates[1] as Gate).spend({ ...payer, wallet: "0x1" }, mail)), "the wallet's").to.equal(
        false,
      );
      expect(await isTaken((gates[1] as Gate).spend({ ...payer, wallet: "0x2" }, mail))).to.equal(true);
      const keys = (await database.kysely.selectFrom("purse_counts").select("key").execute()).map(({ key }) => key);
      expect(keys.join("\n"), "no address").to.match(/^(?:\w+ (?:sign_in|mail):[0-9a-f]{64}\n?)+$/);
    });
  });

  onEitherEngine(({ open }) => {
    let database: Database;
    beforeEach(async () => {
      ({ database } = await open());
    });

    it("let a caller with something left make one call of any price, and then none", async () => {
      const gate = new Gate({ RATE_LIMIT_SCALE: 1 }, database);
      const payer: Payer = { kind: "origin", address: "203.0.113.5", wallet: "0x1" };
      const picture = { thread: 5, node: 0, stored: 700_000, mail: 0 };
      expect(await isTaken(gate.spend(payer, picture))).to.equal(true);
      expect(await isTaken(gate.spend(payer, picture))).to.equal(false);
      expect(gate.refused.get("wallet")).to.equal(1);
    });

    it("give back what a refused call would have cost, and what a call did not need", async () => {
      const gate = new Gate({ RATE_LIMIT_SCALE: 1 }, database);
      const payer: Payer = { kind: "origin", address: "203.0.113.5", wallet: "0x1" };
      const read = { thread: 0, node: ALLOWANCES.wallet.aMinute.node, stored: 0, mail: 0 };
      for (let turn = 0; turn < 3; turn++) (await gate.spend(payer, read)).giveBack(["node"]);
      await gate.spend(payer, read);
      expect(await isTaken(gate.spend(payer, read))).to.equal(false);
    });

    it("take ten times as much for a cursor that somebody made up", async () => {
      const api = await startInProcess(database);
      try {
        const spent: number[] = [];
        const { gate } = api.services;
        const spend = gate.spend.bind(gate);
        gate.spend = (payer, cost, signsIn) => {
          spent.push(cost.thread);
          return spend(payer, cost, signsIn);
        };
        const caller = new Caller(api.url);
        const { next_after } = (await caller.raw("GET", "/api/stores?limit=2")).body;
        for (const after of [next_after, "2"])
          await caller.raw("GET", `/api/stores?limit=2&after=${encodeURIComponent(after)}`);
        expect(spent).to.deep.equal([1, 1, 10]);
      } finally {
        await api.stop();
      }
    });

    it("let every call wait for its turn, whatever becomes of it, and lose none", async () => {
      const api = await startInProcess(database);
      try {
        const { gate } = api.services;
        const spend = gate.spend.bind(gate);
        let [begun, ended] = [0, 0];
        gate.spend = async (payer, cost, signsIn) => {
          const receipt = await spend(payer, cost, signsIn);
          const begin = async () => {
            const end = await receipt.begin();
            let isOver = false;
            begun++;
            return () => {
              if (!isOver) ended++;
              isOver = true;
              end();
            };
          };
          return { ...receipt, begin };
        };
        const caller = new Caller(api.url);
        const calls = [
          ["GET", "/api/stores", undefined, 200],
          ["GET", "/api/nfts/999999999", undefined, 404],
          ["GET", "/api/nfts/no-number", undefined, 404],
          ["GET", "/api/me", undefined, 401],
          ["POST", "/api/register-purchase", "{}", 401],
          ["POST", "/api/check-user", "{", 400],
          ["POST", "/api/check-user", " ".repeat(70_000), 413],
          ["POST", "/api/hooks/affiliate/nobody", "{}", 404],
          ["GET", "/no-such-page", undefined, 404],
        ] as const;
        for (const [method, path, body, status] of calls) {
          const before = begun;
          const answer = await caller.raw(method, path, body);
          expect(answer.status, `${method} ${path}: ${answer.text}`).to.equal(status);
          expect(begun, `${method} ${path} has a turn`).to.be.greaterThan(before);
          await until(`${method} ${path} ends its turn`, () => begun === ended);
        }
      } finally {
        await api.stop();
      }
    });

    it("say whose is empty, when to try again and what to do", async () => {
      const api = await startInProcess(database, { ...PUBLIC, RATE_LIMIT_SCALE: "0.001" });
      try {
        const caller = new Caller(api.url);
        let answer = await caller.get("/api/stores");
        for (let turn = 0; turn < 30 && answer.status === 200; turn++) answer = await caller.get("/api/stores");
        expectRefusal(answer, 429, "TOO_MANY_REQUESTS");
        expect(Number(answer.headers.get("retry-after"))).to.be.within(1, 60);
        expect(answer.body.purse).to.equal("address");
        expect(answer.body.message).to.match(/internet address: wait, or use another connection; try again in \d+ s$/);
        expect((await caller.get("/healthz")).status, "probes pay too").to.equal(429);
      } finally {
        await api.stop();
      }
    });
  });

  describe("of an address", () => {
    it("are of its /64, and its /48 shares one turn once eight of its /64 call", () => {
      const networks = new LRUCache<string, Set<string>>({ max: 10 });
      const blocks = Array.from({ length: 9 }, (_, index) => blockOf(originOf(`2001:db8:1:${index}::5`), networks));
      expect(blocks.slice(0, 7)).to.deep.equal(Array.from({ length: 7 }, (_, index) => `2001:db8:1:${index}::/64`));
      expect(new Set(blocks.slice(7))).to.deep.equal(new Set(["2001:db8:1::/48"]));
      expect(blockOf(originOf("2001:db8:2:1::5"), networks)).to.equal("2001:db8:2:1::/64");
      expect(blockOf(originOf("::ffff:203.0.113.5"), networks)).to.equal("203.0.113.5");
    });
  });

  describe("of the shop", () => {
    it("give turns by rank, then block by block, once they are low", async () => {
      // A hundredth of the shop has 9 ms a second.
      const turns = new Turns(0.01);
      const begun: string[] = [];
      const wait = async (rank: Rank, block: string, name: string) => {
        if (await turns.take({ rank, block, isHeavy: false }, 3)) begun.push(name);
      };
      await Promise.all([wait(2, "first", "first"), wait(2, "first", "second")]);
      const crowd = Array.from({ length: 4 }, (_, index) => wait(1, "crowd", `crowd ${index}`));
      await Promise.all([...crowd, wait(2, "a", "address"), wait(1, "b", "wallet"), wait(0, "c", "buyer")]);
      const place = (name: string) => (begun.includes(name) ? begun.indexOf(name) : Number.POSITIVE_INFINITY);
      expect(begun.slice(0, 3), begun.join()).to.deep.equal(["first", "second", "buyer"]);
      expect(place("wallet"), begun.join()).to.be.lessThan(place("crowd 1"));
      expect(place("address"), begun.join()).to.be.at.least(place("crowd 1"));
    });

    it("start at once while much is left, but for a block that has used much already", async () => {
      const turns = new Turns(1);
      const begun: string[] = [];
      const heavy = Array.from({ length: 200 }, async (_, index) => {
        const end = await turns.take({ rank: 1, block: "flood", isHeavy: true }, 0.5);
        begun.push(`flood ${index}`);
        end?.();
      });
      const endOfQuiet = await turns.take({ rank: 2, block: "quiet", isHeavy: false }, 0.5);
      begun.push("quiet");
      endOfQuiet?.();
      await Promise.all(heavy);
      expect(begun.indexOf("quiet")).to.be.lessThan(5);
    });

    for (const rank of [1, 2] as const) {
      it(`leave something to others when one block of rank ${rank} asks for all of it`, async () => {
        // A hundredth of the shop has 9 ms a second.
        const turns = new Turns(0.01);
        let begun = 0;
        const flood = Array.from({ length: 100 }, async () => {
          const end = await turns.take({ rank, block: "flood", isHeavy: true }, 0.5);
          if (!end) return;
          begun++;
          end();
        });
        await flood[10];
        const before = begun;
        for (let turn = 0; turn < 20; turn++) {
          expect(await turns.take({ rank: 2, block: `quiet ${turn}`, isHeavy: false }, 0.1)).to.be.a("function");
        }
        expect(begun - before).to.be.lessThan(10);
        await Promise.all(flood);
      });
    }

    it("leave two calls in hand to a block that has used much, of each rank, and each end lets the next one begin", async () => {
      const turns = new Turns(1);
      const begun: { name: string; end: EndTurn }[] = [];
      const ask = (rank: Rank, block: string, isHeavy = true) => {
        const name = `${rank} ${block}`;
        const taken = Promise.resolve(turns.take({ rank, block, isHeavy }, 0.01));
        return taken.then((end) => end && begun.push({ name, end }));
      };
      const flood = [1, 2, 3, 4, 5].map(() => ask(2, "flood"));
      // Those of another rank or block, and a block that has used little, wait for none of them.
      const others = [ask(1, "flood"), ask(2, "other"), ask(2, "quiet", false), ask(2, "quiet", false)];
      await Promise.all([flood[0], flood[1], ...others]);
      const of = (name: string) => begun.filter((one) => one.name === name);
      await ask(2, "second");
      expect(of("2 flood")).to.have.length(2);
      const [first] = of("2 flood");
      first?.end();
      first?.end();
      await flood[2];
      await ask(2, "third");
      expect(of("2 flood"), "one for the one that ended").to.have.length(3);
      for (let ended = 1; ended < 5; ended++) {
        of("2 flood")[ended]?.end();
        await flood[ended + 2];
      }
      expect(of("2 flood")).to.have.length(5);
    });

    it("let those who have used much begin one by one while others have a call in hand", async () => {
      const turns = new Turns(1);
      const endOfQuiet = await turns.take({ rank: 2, block: "quiet", isHeavy: false }, 0.01);
      const started = performance.now();
      let begun = 0;
      const floods = Array.from({ length: 20 }, async (_, index) => {
        await turns.take({ rank: 2, block: `flood ${index}`, isHeavy: true }, 0.01);
        begun++;
      });
      await floods[2];
      const [those, passedMs] = [begun, performance.now() - started];
      expect(those).to.be.at.most(1 + passedMs / 5);
      endOfQuiet?.();
      await Promise.all(floods);
    });

    it("answer who waits in vain while others have every turn", async () => {
      const turns = new Turns(0.01);
      const crowd = () => Array.from({ length: 10 }, () => turns.take({ rank: 0, block: "crowd", isHeavy: false }, 3));
      const begun: unknown[] = crowd();
      let outcome: boolean | undefined;
      void Promise.resolve(turns.take({ rank: 2, block: "last", isHeavy: true }, 1)).then((turn) => {
        outcome = turn !== undefined;
      });
      await until(
        "the last one has its answer",
        () => {
          begun.push(...crowd());
          return outcome !== undefined;
        },
        20_000,
      );
      expect(outcome).to.equal(false);
      await Promise.all(begun);
    });

    it("refuse who waited in vain, and lose nobody", async () => {
      const turns = new Turns(0.001);
      const all = Array.from({ length: 50 }, (_, index) =>
        turns.take({ rank: 2, block: String(index), isHeavy: false }, 1),
      );
      const outcomes = await Promise.all(all);
      expect(outcomes.filter(Boolean).length).to.be.within(1, 5);
    });
  });
});

/** How many of these calls, made by so many wallets of one address, were taken. */
async function flood(gate: Gate, wallets: number, calls: number): Promise<number> {
  const all = Array.from({ length: calls }, (_, index) =>
    isTaken(gate.spend({ kind: "origin", address: "203.0.113.5", wallet: `0x${index % wallets}` }, CLICK)),
  );
  return (await Promise.all(all)).filter(Boolean).length;
}

const isTaken = (spent: Promise<unknown>): Promise<boolean> =>
  spent.then(
    () => true,
    (error: unknown) => {
      if ((error as { status?: number }).status !== 429) throw error;
      return false;
    },
  );
