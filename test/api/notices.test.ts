import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import { notify } from "../../api/operations/notices.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const SECRET = "a-secret-of-notices-that-is-long-enough";

describe("Notices of open tasks", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let receiver: Server;
    let status: number;
    let taken: { id: number; kind: string; count: number; text: string }[];
    let forged: number;

    beforeEach(async () => {
      [status, taken, forged] = [200, [], 0];
      receiver = createServer(async (request, response) => {
        const body = (await buffer(request)).toString();
        const { "x-torcida-timestamp": at, "x-torcida-signature": signature } = request.headers;
        const expected = createHmac("sha256", SECRET).update(`${at}.${body}`).digest("hex");
        if (signature !== `sha256=${expected}`) forged += 1;
        if (status === 200) taken.push(JSON.parse(body));
        response.writeHead(status).end();
      });
      await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
      const NOTIFY_URL = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      api = await startInProcess((await open()).database, { NOTIFY_URL, NOTIFY_SECRET: SECRET });
      // No chain is here, which is a fault from the start.
      await notify(api.services);
      await api.services.database.kysely.deleteFrom("notices").execute();
      taken = [];
    });
    afterEach(async () => {
      receiver.close();
      await api.stop();
    });

    const hold = async () => {
      const buyer = await api.user();
      const id = await buyer.buy(1, 10);
      const admin = await api.admin();
      // That the team signs in is told too, and is not what these tests are about.
      await api.services.database.kysely.deleteFrom("notices").where("kind", "=", "staff_sign_in").execute();
      expect((await admin.post(`/api/admin/purchases/${id}/hold`)).status).to.equal(200);
      return { admin, id };
    };
    const makeDue = () =>
      api.services.database.kysely.updateTable("notices").set({ due_at: 0n }).where("due_at", "is not", null).execute();

    it("are sent once for each count that rose, signed", async () => {
      await notify(api.services);
      expect(taken).to.deep.equal([]);
      const { admin, id } = await hold();
      await notify(api.services);
      await notify(api.services);
      expect(taken.map(({ kind, count, text }) => ({ kind, count, text }))).to.deep.equal([
        { kind: "held_purchases", count: 1, text: "1 purchases are held" },
      ]);
      await admin.post(`/api/admin/purchases/${id}/release`);
      await notify(api.services);
      expect(taken, "it went down").to.have.lengthOf(1);
      await admin.post("/api/admin/payouts", { paused: true, reason: "a drill" });
      await hold();
      await notify(api.services);
      expect(taken.slice(1).map(({ kind }) => kind)).to.have.members(["held_purchases", "payouts_paused"]);
      expect(forged).to.equal(0);
    });

    it("name each fault of the installation with its reason", async () => {
      await notify(api.services);
      const { kysely } = api.services.database;
      await writeSetting(kysely, "backed_up_at", String(Date.now() - 4 * 3_600_000));
      await notify(api.services);
      await notify(api.services);
      expect(taken.map(({ kind }) => kind)).to.deep.equal(["faults"]);
      // A busy machine has one fault more: this process was held up.
      expect(taken[0]?.text)
        .to.match(/^[23] faults of the installation: /)
        .and.include("The last backup is 4 hours old")
        .and.include("The chain does not answer: none is here");
    });

    it("wait in the database while their receiver is down, and are retried later", async () => {
      status = 503;
      await hold();
      await notify(api.services);
      const read = () => api.services.database.kysely.selectFrom("notices").selectAll().executeTakeFirstOrThrow();
      const waiting = await read();
      expect(waiting).to.include({ attempts: 1n, error: "it answered 503", sent_at: null });
      expect(Number(waiting.due_at)).to.be.greaterThan(Date.now());
      status = 200;
      await notify(api.services);
      expect(taken, "not before its time").to.deep.equal([]);
      await makeDue();
      await notify(api.services);
      expect(taken).to.have.lengthOf(1);
      expect(taken[0]?.id).to.equal(Number(waiting.id));
      expect(await read()).to.include({ attempts: 2n, error: null, due_at: null });
      await makeDue();
      await notify(api.services);
      expect(taken, "never again").to.have.lengthOf(1);
    });
  });
});
