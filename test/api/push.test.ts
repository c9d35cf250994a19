import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Registry } from "prom-client";
import webPush from "web-push";
import { takeEffect } from "../../api/admin/proposals.ts";
import { oldestPush, PUSH_LIMITS, Pusher } from "../../api/push/delivery.ts";
import { isPublicAddress } from "../../core/process/network-rules.ts";
import { postToStranger } from "../../core/process/outside.ts";
import { MAIL_TOPIC_NAMES } from "../../core/rules/events.ts";
import { examinePush } from "../../scripts/doctor/examine-push.ts";
import { onBothEngines } from "../testing/databases.ts";
import { dueProposals } from "../testing/due-proposals.ts";
import { PushService } from "../testing/push-service.ts";
import { eventually } from "../testing/until.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

describe("Messages to devices", function () {
  this.timeout(120_000);
  const directory = mkdtempSync(join(tmpdir(), "torcida-push-"));
  const VAPID_KEY_FILE = join(directory, "vapid.key");
  const settings = { VAPID_KEY_FILE, VAPID_SUBJECT: "mailto:avisos@shop.example" };
  before(() => writeFileSync(VAPID_KEY_FILE, `${webPush.generateVAPIDKeys().privateKey}\n`, { mode: 0o600 }));
  after(() => rmSync(directory, { recursive: true, force: true }));

  onBothEngines(({ open, otherEngineTag }) => {
    let service: PushService;
    let api: InProcessApi;
    let url: string;

    beforeEach(async () => {
      service = new PushService();
      await service.start();
      const opened = await open();
      url = opened.url;
      api = await startInProcess(opened.database, settings);
    });
    afterEach(async () => {
      await api.stop();
      await service.stop();
    });

    const kysely = () => api.services.database.kysely;
    const held = new AbortController().signal;
    const round = async (pusher = new Pusher(api.services)) => {
      await pusher.look(undefined, held);
      await pusher.settled();
    };
    const waiting = () => kysely().selectFrom("pushes").selectAll().execute();
    const makeDue = () => kysely().updateTable("pushes").set({ due_at: 0n }).execute();
    const choose = (caller: Caller, more: object = {}) =>
      caller.send(
        "PUT",
        "/api/me/push",
        JSON.stringify({ topics: MAIL_TOPIC_NAMES, language: "pt", show_amounts: false, ...more }),
      );
    const add = async (caller: Caller, device = service.newDevice()) => {
      const { status, body } = await caller.post("/api/me/push/devices", device.subscription);
      expect(status).to.equal(200);
      return Object.assign(device, { id: body.id as number });
    };
    const reader = async (more: object = {}) => {
      const caller = await api.user();
      expect((await choose(caller, more)).status).to.equal(200);
      return { caller, device: await add(caller) };
    };
    const choice = async (caller: Caller) => (await caller.get("/api/me/push")).body;
    const devicesOf = async (caller: Caller) => (await choice(caller)).devices;

    describe(`whatever the database ${otherEngineTag}`.trim(), () => {
      it("say what the bell says, encrypted and signed, and nothing about money unless it is wanted", async () => {
        const [quiet, open] = [await reader(), await reader({ show_amounts: true, language: "en" })];
        await quiet.caller.buy(1, 10);
        await open.caller.buy(1, 20);
        await round();
        const of = ({ device }: typeof quiet) => service.received.filter(({ path }) => path === device.path);
        const [pt, en] = [of(quiet), of(open)];
        expect([pt.length, en.length]).to.deep.equal([1, 1]);
        expect(pt[0]?.message).to.deep.equal({
          ...{ title: "Compra registrada: Verdão Store", path: "/dashboard" },
          tag: pt[0]?.topic,
        });
        expect(en[0]?.message.title).to.match(/^Purchase recorded: /);
        expect(en[0]?.message.body).to.match(/^Purchase of R\$20\.00 recorded/);
        expect([pt[0]?.ttl, pt[0]?.subject]).to.deep.equal([86_400, settings.VAPID_SUBJECT]);
        expect(await waiting()).to.deep.equal([]);
        await round();
        expect(service.received).to.have.length(2);
      });

      it("are about the topics that are chosen when they are sent, on each device", async () => {
        const { caller } = await reader({ topics: ["paid"] });
        await add(caller);
        await caller.buy(1, 10);
        await round();
        expect(service.received).to.deep.equal([]);
        await choose(caller);
        await caller.buy(1, 20);
        await round();
        expect(service.received).to.have.length(2);
        await caller.buy(1, 30);
        await choose(caller, { topics: [] });
        await round();
        expect(service.received).to.have.length(2);
        expect(await waiting()).to.deep.equal([]);
      });

      it("end with a logout, with the profile, and where another wallet takes the browser", async () => {
        const [leaving, out, elsewhere, moved] = [await reader(), await reader(), await reader(), await reader()];
        const next = await api.user();
        await choose(next);
        for (const { caller } of [leaving, out, elsewhere, moved]) await caller.buy(1, 10);
        const pusher = new Pusher(api.services);
        await pusher.look(undefined, AbortSignal.abort());
        expect(await waiting()).to.have.length(4);
        expect((await leaving.caller.askErasure()).status).to.equal(202);
        await dueProposals(kysely(), 72);
        await takeEffect(api.services);
        await out.caller.post("/api/logout");
        await elsewhere.caller.enter();
        expect((await elsewhere.caller.post("/api/logout-everywhere")).status).to.equal(200);
        await add(next, moved.device);
        await round();
        expect(service.received).to.deep.equal([]);
        expect(await devicesOf(moved.caller)).to.deep.equal([]);
        const devices = await kysely().selectFrom("push_devices").select("wallet").execute();
        expect(devices.map(({ wallet }) => wallet)).to.deep.equal([next.address]);
        const readers = await kysely().selectFrom("push_readers").select("wallet").execute();
        expect(readers.map(({ wallet }) => wallet)).not.to.include(leaving.caller.address);
      });

      it("go to a wallet's ten newest devices, each of which it can end", async () => {
        const { caller, device } = await reader();
        const others = [];
        for (let count = 0; count < 10; count++) others.push((await add(caller)).id);
        expect(await devicesOf(caller))
          .to.deep.equal(others.toReversed())
          .and.not.to.include(device.id);
        const stranger = await api.user();
        expect((await stranger.send("DELETE", `/api/me/push/devices/${others[0]}`)).status).to.equal(404);
        expect((await caller.send("DELETE", `/api/me/push/devices/${others[0]}`)).status).to.equal(200);
        expect(await devicesOf(caller)).to.have.length(9);
        const again = await add(caller, service.newDevice());
        const { body } = await caller.post("/api/me/push/devices", again.subscription);
        expect(body.id, "a browser that asks again").to.equal(again.id);
      });

      for (const status of [404, 410]) {
        it(`end for a device of which its service says ${status}`, async () => {
          const { caller, device } = await reader();
          const other = await add(caller);
          service.answers.set(device.path, { status });
          await caller.buy(1, 10);
          await caller.buy(1, 20);
          await round();
          expect(await devicesOf(caller)).to.deep.equal([other.id]);
          expect(await waiting()).to.deep.equal([]);
          expect(service.received.filter(({ path }) => path === other.path)).to.have.length(2);
        });
      }

      it("are as short as they can be where they were too long, and then dropped", async () => {
        const { caller, device } = await reader({ show_amounts: true });
        service.answers.set(device.path, { status: 413 });
        await caller.buy(1, 10);
        await round();
        expect(service.received.map(({ message }) => [message.title, Boolean(message.body)])).to.deep.equal([
          ["Compra registrada: Verdão Store", true],
          ["Compra registrada", false],
        ]);
        expect(await waiting()).to.deep.equal([]);
        expect(await devicesOf(caller)).to.have.length(1);
      });

      it("wait for as long as their service says", async () => {
        const { caller, device } = await reader();
        await caller.buy(1, 10);
        const dueIn = async () =>
          (await waiting()).map(({ due_at }) => Math.round((Number(due_at) - Date.now()) / 60_000));
        service.answers.set(device.path, { status: 429, headers: { "retry-after": "3600" } });
        await round();
        expect(await dueIn()).to.deep.equal([60]);
        await round();
        expect(service.received, "not before").to.have.length(1);
        const date = new Date(Date.now() + 7_200_000).toUTCString();
        service.answers.set(device.path, { status: 429, headers: { "retry-after": date } });
        await makeDue();
        await round();
        expect(await dueIn()).to.deep.equal([120]);
        service.answers.clear();
        await makeDue();
        await round();
        expect(await waiting()).to.deep.equal([]);
      });

      it("are counted by how their service answered, which strangers can choose for no browser's", async () => {
        const registry = new Registry();
        const { caller, device } = await reader();
        const pusher = new Pusher(api.services);
        pusher.countIn(registry);
        const count = async (outcome: string, name = "other") =>
          new RegExp(`_total{service="${name}",outcome="${outcome}"} (\\d+)`).exec(await registry.metrics())?.[1];
        expect([await count("away", "googleapis.com"), await count("taken")], "from 0 on").to.deep.equal(["0", "0"]);
        const answers = { away: 503, refused: 403, busy: 429, taken: 201, gone: 410 };
        for (const [outcome, status] of Object.entries(answers)) {
          service.answers.set(device.path, { status });
          await caller.buy(1, 10);
          await makeDue();
          const before = Number(await count(outcome));
          await round(pusher);
          expect(Number(await count(outcome)), outcome).to.be.above(before);
        }
      });

      it("that wait for an hour are told by the doctor", async () => {
        const { caller, device } = await reader();
        const open = async () => ({ kysely: kysely(), close: async () => {} });
        const examine = async () => {
          const [finding] = await examinePush(api.services.environment, open);
          return `${finding?.state} ${finding?.detail}`;
        };
        service.answers.set(device.path, { status: 503 });
        await caller.buy(1, 10);
        await round();
        expect(await examine()).to.match(/^healthy messages to devices are signed by B\S+, as mailto:avisos@/);
        await kysely()
          .updateTable("pushes")
          .set({ created_at: BigInt(Date.now() - 7_200_000) })
          .execute();
        expect(await examine()).to.match(/^warning a message waits since 20\d\d-/);
        expect(await examinePush({ VAPID_KEY_FILE: undefined, VAPID_SUBJECT: undefined }, open)).to.deep.equal([]);
      });

      it("are tried again later where their service is away, for a day", async () => {
        const { caller, device } = await reader();
        await caller.buy(1, 10);
        service.answers.set(device.path, { status: 503 });
        await round();
        await makeDue();
        await round();
        const [push, ...others] = await waiting();
        expect(others).to.deep.equal([]);
        expect(push?.attempts).to.equal(2n);
        expect(Number(push?.due_at)).to.be.greaterThan(Date.now());
        expect(await oldestPush(kysely())).to.equal(push?.created_at);
        await kysely().updateTable("pushes").set({ due_at: 0n, created_at: 1n }).execute();
        await round();
        expect(await waiting()).to.deep.equal([]);
        expect(service.received).to.have.length(2);
        expect(await oldestPush(kysely())).to.equal(undefined);
      });

      it("of a service that hangs keep nobody else's waiting", async () => {
        const hanging = new PushService("localhost");
        await hanging.start();
        try {
          const [one, other] = [await reader(), await reader()];
          for (let count = 0; count < 3; count++) {
            const device = await add(one.caller, hanging.newDevice());
            hanging.answers.set(device.path, "silent");
          }
          const pusher = new Pusher(api.services, { ...PUSH_LIMITS, answer: 60_000 });
          await one.caller.buy(1, 10);
          await pusher.look(undefined, held);
          await eventually(async () => expect(hanging.silences).to.equal(3));
          await other.caller.buy(1, 20);
          await one.caller.buy(1, 30);
          await pusher.look(undefined, held);
          await eventually(async () => expect(service.received).to.have.length(3));
          expect(hanging.silences, "no more at once").to.equal(3);
          await hanging.stop();
          await pusher.settled();
          const left = await waiting();
          expect(left.map(({ attempts }) => attempts).filter((attempts) => attempts === 1n)).to.have.length(3);
          expect(left).to.have.length(6);
        } finally {
          await hanging.stop();
        }
      });

      it("of many services that hang leave room for those that answer", async () => {
        const hanging = new Set<Socket>();
        const silent = createServer((socket) => {
          hanging.add(socket);
          socket.on("close", () => hanging.delete(socket)).on("error", () => {});
        });
        await once(silent.listen(0, "0.0.0.0"), "listening");
        const { port } = silent.address() as AddressInfo;
        const pusher = new Pusher(api.services, { ...PUSH_LIMITS, answer: 60_000 });
        try {
          const honest = await reader();
          await honest.caller.buy(1, 10);
          await round(pusher);
          for (let wallet = 0; wallet < 3; wallet++) {
            const { caller } = await reader();
            for (let device = 0; device < 10; device++) {
              const { keys } = service.newDevice().subscription;
              const endpoint = `http://127.0.0.${10 + wallet * 10 + device}:${port}/push`;
              expect((await caller.post("/api/me/push/devices", { endpoint, keys })).status).to.equal(200);
            }
            await caller.buy(1, 10);
          }
          await pusher.look(undefined, held);
          await eventually(async () => expect(hanging.size).to.equal(8));
          await honest.caller.buy(1, 20);
          await pusher.look(undefined, held);
          await eventually(async () =>
            expect(service.received.filter(({ path }) => path === honest.device.path)).to.have.length(2),
          );
          expect(hanging.size, "no more at once").to.equal(8);
        } finally {
          silent.close();
          for (const socket of hanging) socket.destroy();
          await pusher.settled();
        }
      });

      it("end in time with their service silent", async () => {
        const { caller, device } = await reader();
        service.answers.set(device.path, "silent");
        await caller.buy(1, 10);
        const pusher = new Pusher(api.services, { ...PUSH_LIMITS, answer: 300, lastAnswer: 100 });
        await round(pusher);
        const [push] = await waiting();
        expect(push?.attempts).to.equal(1n);
        const ending = new AbortController();
        await makeDue();
        const last = new Pusher(api.services, { ...PUSH_LIMITS, answer: 60_000, lastAnswer: 100 });
        await last.look(undefined, ending.signal);
        await eventually(async () => expect(service.silences).to.equal(2));
        ending.abort();
        await last.settled();
        const [after] = await waiting();
        expect(after?.attempts, "it was the process that ended").to.equal(1n);
        expect(Number(after?.due_at)).to.be.at.most(Date.now());
      });

      it("are sent once by two processes at once", async () => {
        const { caller } = await reader();
        await caller.buy(1, 10);
        await Promise.all([round(), round()]);
        expect(service.received).to.have.length(1);
      });

      it("are shown once each, whenever their process is killed", async () => {
        const { caller, device } = await reader();
        await caller.buy(1, 10);
        service.answers.set(device.path, "silent");
        const start = () =>
          spawn(process.execPath, ["test/api/support/pusher-process.ts", url], {
            env: { ...process.env, ...settings },
            stdio: "ignore",
          });
        const kill = async (child: ChildProcess) => {
          const ended = once(child, "exit");
          child.kill("SIGKILL");
          await ended;
          await kysely().updateTable("leases").set({ expires_at: 0n }).where("name", "=", "push").execute();
        };
        const KILLS = 3;
        for (let kills = 1; kills <= KILLS; kills++) {
          const child = start();
          try {
            await eventually(async () => expect(service.silences).to.equal(kills));
          } finally {
            await kill(child);
          }
          const [claimed] = await waiting();
          expect(Number(claimed?.due_at), "not while it may still be sent").to.be.greaterThan(Date.now());
          await makeDue();
        }
        service.answers.clear();
        await caller.buy(1, 20);
        const second = start();
        try {
          await eventually(async () => expect(service.received).to.have.length(KILLS + 2));
          await eventually(async () => expect(await waiting()).to.deep.equal([]));
        } finally {
          await kill(second);
        }
        await round();
        const tags = service.received.map(({ message, topic }) => [message.tag, topic]);
        for (const tag of tags.slice(0, KILLS))
          expect(tag, "the service and the device put it in its own place").to.deep.equal(tags[0]);
        expect(new Set(tags.map(([tag]) => tag)).size).to.equal(2);
        expect(tags).to.have.length(KILLS + 2);
      });
    });

    it("go to no address of this machine or network, nor where a service sends them on", async () => {
      const { caller, device } = await reader();
      service.answers.set(device.path, { status: 302, headers: { location: `${service.url}/elsewhere` } });
      await caller.buy(1, 10);
      await round();
      expect(service.strange).to.deep.equal([]);
      expect(await waiting()).to.have.length(1);
      const { keys } = device.subscription;
      const long = `https://push.example/${"x".repeat(2_048)}`;
      for (const endpoint of [
        ...["http://push.example/1", "https://10.0.0.1/1", "https://[fd00::1]/1", "https://167772161/1", long],
        ...["https://intranet/1", "https://db.internal/1", "https://u:p@push.example/1", "https://push.example:8443/1"],
        ...["file:///etc/passwd", "push"],
      ]) {
        expectInvalid(await caller.post("/api/me/push/devices", { endpoint, keys }), "endpoint");
      }
      for (const wrong of [
        { ...keys, auth: "x" },
        { ...keys, p256dh: `A${keys.p256dh.slice(1)}` },
      ]) {
        const answer = await caller.post("/api/me/push/devices", { endpoint: device.endpoint, keys: wrong });
        expect(answer.status).to.equal(400);
      }
      // A public site has no services here, whatever a name leads to.
      for (const host of [
        ...["127.0.0.1", "localhost", "2130706433", "0.0.0.0"],
        ...["[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"],
      ]) {
        const to = new URL(`http://${host}:${new URL(service.url).port}/push`);
        const call = { headers: {}, body: Buffer.from(""), signal: AbortSignal.timeout(5_000), isLocal: false };
        const error = await postToStranger(to, call).catch((caught: unknown) => caught);
        expect(error).to.have.property("code", "EINSIDE");
      }
      expect(service.strange).to.deep.equal([]);
    });

    it("are none without a key", async () => {
      const other = await startInProcess(api.services.database);
      try {
        const caller = await other.user();
        expect((await caller.post("/api/me/push/devices", service.newDevice().subscription)).status).to.equal(404);
        expect((await caller.get("/api/config")).body.data.vapid_public_key).to.equal(null);
        const { data } = (await (await fetch(`${api.url}/api/config`)).json()) as { data: Record<string, string> };
        expect(data.vapid_public_key).to.match(/^B[\w-]{86}$/);
      } finally {
        await other.stop();
      }
    });
  });
});

describe("An address of the public internet", () => {
  for (const [address, isPublic] of [
    ...(["142.250.78.10", "2607:f8b0:4004:c07::5f"] as const).map((one) => [one, true] as const),
    ...(
      ["127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255"] as const
    ).map((one) => [one, false] as const),
    ...(
      [
        "::1",
        "::",
        "fd00::1",
        "fe80::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "2001::1",
        "ff02::1",
      ] as const
    ).map((one) => [one, false] as const),
  ]) {
    it(`${isPublic ? "is" : "is not"} ${address}`, () => expect(isPublicAddress(address)).to.equal(isPublic));
  }
});
