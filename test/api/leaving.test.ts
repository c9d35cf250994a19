import { expect } from "chai";
import { sql } from "kysely";
import { tellChangedAdmins } from "../../api/admin/changed-admins.ts";
import { takeEffect } from "../../api/admin/proposals.ts";
import { leaveAgain, readErasedList } from "../../api/people/erased-list.ts";
import {
  auditHeadText,
  auditProblem,
  findBrokenAudit,
  findCutAudit,
  readAuditHead,
  signAuditBy,
} from "../../core/database/audit-log.ts";
import type { Database } from "../../core/database/connect.ts";
import { TABLE_NAMES } from "../../core/database/generated/schema.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { erasedFileOf } from "../../core/process/environment.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { dueProposals } from "../testing/due-proposals.ts";
import { insertPlainPurchase } from "../testing/plain-purchase.ts";
import { PERSON } from "../testing/shopper.ts";
import { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

/** docs/product.md#erase, docs/product.md#proposals */
describe("Leaving, and who may decide about a person", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let database: Database;

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database);
    });
    afterEach(() => api.stop());

    const later = async (hours: number) => {
      await dueProposals(database.kysely, hours);
      await takeEffect(api.services);
    };
    const isRegistered = async (wallet: string) =>
      (await new Caller(api.url).post("/api/check-user", { address: wallet })).body.exists;
    const erase = (who: Caller, wallet: string, reason = "asked by letter") =>
      who.post(`/api/admin/users/${wallet}/erase`, { reason });

    describe("A profile's owner", () => {
      it("is asked for a signature that says what happens: a session alone erases nothing", async () => {
        const buyer = await api.user();
        const refused = await buyer.send("DELETE", "/api/me");
        expectRefusal(refused, 403, "SIGNATURE_NEEDED");
        expect(refused.body.challenge.message).to.include(`Apagar minha conta Torcida de ${buyer.address}`);
        expectRefusal(await buyer.send("DELETE", "/api/me", "{}"), 403, "SIGNATURE_NEEDED");
        const [login, email] = [await buyer.challenge(), await buyer.signWish("email")];
        const signature = await buyer.account.signMessage({ message: login.message });
        for (const proof of [{ nonce: login.nonce, signature }, email])
          expectRefusal(await buyer.send("DELETE", "/api/me", JSON.stringify(proof)), 400, "NONCE_INVALID");
        const thief = await api.user();
        const { challenge } = (await buyer.post("/api/challenge", { purpose: "erase" })).body;
        const forged = await thief.account.signMessage({ message: challenge.message });
        const body = JSON.stringify({ nonce: challenge.nonce, signature: forged });
        expectRefusal(await buyer.send("DELETE", "/api/me", body), 400, "SIGNATURE_INVALID");
        expect(await isRegistered(buyer.address)).to.equal(true);
      });

      it("reads the day, and keeps the account by one button; otherwise it goes after 72 hours", async () => {
        const buyer = await api.user();
        const asked = await buyer.askErasure();
        expect(asked.status, asked.text).to.equal(202);
        const { takes_effect_at } = asked.body;
        expect(Date.parse(takes_effect_at) - Date.now()).to.be.closeTo(72 * 3_600_000, 60_000);
        expect((await buyer.me()).erasure).to.deep.equal({ takes_effect_at, is_own: true });
        await buyer.enter();
        expect((await buyer.askErasure()).body.takes_effect_at, "asking again puts nothing off").to.equal(
          takes_effect_at,
        );
        expect((await buyer.post("/api/me/keep")).status).to.equal(200);
        expect((await buyer.me()).erasure).to.equal(null);
        expectRefusal(await buyer.post("/api/me/keep"), 409, "DECIDED");
        await later(100);
        expect(await isRegistered(buyer.address)).to.equal(true);
        await buyer.askErasure();
        await later(71);
        expect(await isRegistered(buyer.address)).to.equal(true);
        await later(2);
        expect(await isRegistered(buyer.address)).to.equal(false);
        expectRefusal(await buyer.get("/api/me"), 401, "UNAUTHORIZED");
      });

      it("stays kept in a database from before, whoever asked and whoever stopped it, until somebody asks again", async () => {
        const [support, second] = [await api.admin("support"), await api.admin("support")];
        const [own, byStaff, again, lasting] = await Promise.all(Array.from({ length: 4 }, () => api.user()));
        if (!own || !byStaff || !again || !lasting) throw new Error("There are four");
        for (const one of [own, again, lasting]) await one.askErasure();
        const asked = await erase(support, byStaff.address);
        const hourAgo = (at: bigint | null) => at && at - 3_600_000n;
        const before = (await database.kysely.selectFrom("proposals").selectAll().execute()).map((row) => ({
          ...row,
          ...{ created_at: row.created_at - 3_600_000n, due_at: hourAgo(row.due_at) },
          takes_effect_at: hourAgo(row.takes_effect_at),
        }));
        for (const one of [own, again]) {
          await one.enter();
          expect((await one.post("/api/me/keep")).status).to.equal(200);
        }
        expect((await second.post(`/api/admin/proposals/${asked.body.proposal_id}/undo`)).status).to.equal(200);
        const told = (await again.askErasure()).body.takes_effect_at;
        await database.kysely.deleteFrom("proposals").execute();
        await database.kysely.insertInto("proposals").values(before).execute();
        const { environment } = api.services;
        await leaveAgain(database.kysely, readErasedList(erasedFileOf(environment), environment));
        const day = Date.parse((await again.me()).erasure?.takes_effect_at ?? "");
        expect(day, "the later day").to.be.closeTo(Date.parse(told), 60_000);
        await later(73);
        const left = [own, byStaff, again, lasting].map(({ address }) => isRegistered(address));
        expect(await Promise.all(left)).to.deep.equal([true, true, false, false]);
      });

      it("goes on its day, whatever else cannot be carried out", async () => {
        const [first, second] = [await api.user(), await api.user()];
        for (const one of [first, second]) await one.askErasure();
        const ofFirst = database.kysely.updateTable("proposals").where("subject_id", "=", first.address);
        await ofFirst.set({ to_fields: "{" }).execute();
        await dueProposals(database.kysely, 73);
        for (const _ of ["once", "again"])
          expect(await takeEffect(api.services).catch((error: Error) => error)).to.be.instanceOf(SyntaxError);
        expect([await isRegistered(first.address), await isRegistered(second.address)]).to.deep.equal([true, false]);
        await ofFirst.set({ to_fields: "{}" }).execute();
        await takeEffect(api.services);
        expect(await isRegistered(first.address)).to.equal(false);
      });

      it("ends all other sessions by asking, and nobody of the staff undoes it", async () => {
        const buyer = await api.user();
        const first = buyer.token;
        await buyer.enter();
        const second = buyer.token;
        await buyer.askErasure();
        buyer.token = first;
        expectRefusal(await buyer.get("/api/me"), 401, "UNAUTHORIZED");
        buyer.token = second;
        const owner = await api.admin("owner");
        expect((await owner.get("/api/admin/proposals")).body.rows).to.deep.equal([]);
        expect((await owner.get("/api/admin/attention")).body.attention.open_proposals).to.equal(0);
        const { erasure } = (await owner.get(`/api/admin/users/${buyer.address}`)).body.user;
        for (const verb of ["undo", "refuse", "agree"])
          expectRefusal(await owner.post(`/api/admin/proposals/${erasure.proposal_id}/${verb}`), 403, "OWN_REQUEST");
      });

      it("changes the e-mail by a signature too, and the names without one", async () => {
        const buyer = await api.user();
        const put = (fields: object) => buyer.send("PUT", "/api/me", JSON.stringify({ ...PERSON, ...fields }));
        expect((await put({ first_name: "Bia" })).status).to.equal(200);
        const refused = await put({ email: "ladrao@example.com" });
        expectRefusal(refused, 403, "SIGNATURE_NEEDED");
        expect(refused.body.challenge.message).to.include(`Mudar o e-mail da conta Torcida de ${buyer.address}`);
        expectRefusal(await put({ email: "x@example.com", ...(await buyer.signWish("erase")) }), 400, "NONCE_INVALID");
        const wish = await buyer.signWish("email");
        expect((await put({ email: "nova@example.com", ...wish })).status).to.equal(200);
        expect((await buyer.me()).email).to.equal("nova@example.com");
        expectRefusal(await put({ email: "outra@example.com", ...wish }), 400, "NONCE_INVALID");
      });
    });

    describe("Staff", () => {
      it("erases nobody at once: each waits 72 hours, and from the eleventh of an hour on for a second person", async () => {
        const [support, second] = [await api.admin("support"), await api.admin("support")];
        const people = await Promise.all(Array.from({ length: 12 }, () => api.user()));
        expectRefusal(await support.post(`/api/admin/users/${people[0]?.address}/erase`), 400, "INVALID_REQUEST");
        const asked = [];
        for (const { address } of people) asked.push(await erase(support, address));
        expect(asked.map(({ status }) => status)).to.deep.equal(Array(12).fill(202));
        expectRefusal(await erase(second, people[0]?.address ?? ""), 409, "DECIDED");
        for (const { address } of people) expect(await isRegistered(address)).to.equal(true);
        const eleventh = asked[10]?.body.proposal_id;
        expect((await second.post(`/api/admin/proposals/${asked[0]?.body.proposal_id}/undo`)).status).to.equal(200);
        expect((await people[1]?.post("/api/me/keep"))?.status, "the person too").to.equal(200);
        expect((await second.post(`/api/admin/proposals/${eleventh}/agree`)).status).to.equal(200);
        expect(await isRegistered(people[10]?.address ?? ""), "it shortens nothing").to.equal(true);
        await later(73);
        const left = await Promise.all(people.map(({ address }) => isRegistered(address)));
        expect(left).to.deep.equal([true, true, ...Array(9).fill(false), true]);
      });

      it("erases no more alone by asking for all at once", async () => {
        const [support] = [await api.admin("support"), await api.admin("support")];
        const people = await Promise.all(Array.from({ length: 14 }, () => api.user()));
        await Promise.all(people.map(({ address }) => erase(support, address)));
        await later(73);
        const left = await Promise.all(people.map(({ address }) => isRegistered(address)));
        expect(left.filter(Boolean)).to.have.length(4);
      });

      it("takes a recent sign-in to ask for an erasure", async () => {
        const [support, buyer] = [await api.admin("support"), await api.user()];
        await api.age(support.token, 16 * 60_000);
        expectRefusal(await erase(support, buyer.address), 403, "SIGN_IN_AGAIN");
      });

      it("ends no sessions of its own team but as an owner, after an hour or with a second owner", async () => {
        const [support, owner, other] = [await api.admin("support"), await api.admin(), await api.admin()];
        const end = (who: Caller, of: Caller) => who.post(`/api/admin/users/${of.address}/sessions/revoke`);
        expectRefusal(await end(support, owner), 403, "ROLE_NOT_ALLOWED");
        const asked = await end(owner, other);
        expect(asked.status, asked.text).to.equal(202);
        expectRefusal(await other.post(`/api/admin/proposals/${asked.body.proposal_id}/refuse`), 403, "OWN_REQUEST");
        expect((await other.get("/api/admin/role")).status).to.equal(200);
        await later(1.1);
        expectRefusal(await other.get("/api/admin/role"), 401, "UNAUTHORIZED");
        const third = await api.admin();
        const quick = await end(owner, support);
        expect((await third.post(`/api/admin/proposals/${quick.body.proposal_id}/agree`)).status).to.equal(200);
        expectRefusal(await support.get("/api/admin/role"), 401, "UNAUTHORIZED");
        expect((await end(owner, await api.user())).status, "anybody else's at once").to.equal(200);
      });

      it("reads names and e-mails whole only where it helps people, and an export is on record", async () => {
        await api.user();
        const csv = { accept: "text/csv" };
        for (const role of ["operator", "catalogue", "auditor"] as const) {
          const admin = await api.admin(role);
          const lists = ["", "?query=ana", `?query=${PERSON.email}`].map((query) => `/api/admin/users${query}`);
          const seen = await Promise.all(lists.map((path) => admin.get(path)));
          seen.push(await admin.send("GET", "/api/admin/users", undefined, csv));
          const [row] = seen[0]?.body.rows ?? [];
          expect(row.email).to.match(/^.…@.…$/);
          seen.push(
            await admin.get(`/api/admin/users/${row.wallet}`),
            await admin.get(`/api/admin/names?wallets=${row.wallet}`),
          );
          for (const { text } of seen) {
            expect(text, role).to.not.include(PERSON.email);
            expect(text, role).to.not.include(PERSON.last_name);
          }
          const spelled = await admin.get(`/api/admin/users?query=${PERSON.email.slice(0, 2)}`);
          expect(spelled.body.rows, "no spelling it out").to.deep.equal([]);
          expectRefusal(await admin.get("/api/admin/users?sort=email"), 403, "ROLE_NOT_ALLOWED");
        }
        const support = await api.admin("support");
        const file = await support.send("GET", "/api/admin/users", undefined, csv);
        expect(file.text).to.include(PERSON.email);
        const [entry] = (await support.get("/api/admin/audit-log?query=user.export")).body.rows;
        expect(entry).to.deep.include({ actor: support.address, action: "user.export" });
        expect(entry.params.count).to.equal(file.text.trim().split("\n").length - 1);
      });
    });

    it("is on a record whose end cannot be cut, nor rewritten without the key", async () => {
      const { kysely } = database;
      const key = "ab".repeat(32);
      signAuditBy(key);
      try {
        const owner = await api.admin("owner");
        for (const nickname of ["um", "dois", "tres"])
          await owner.post(`/api/admin/users/${owner.address}/nickname`, { nickname });
        expect(await findBrokenAudit(kysely, [key])).to.equal(undefined);
        const last = await kysely.selectFrom("audit_log").selectAll().orderBy("id", "desc").executeTakeFirstOrThrow();
        expect(last.mac).to.match(/^[0-9a-f]{64}$/);
        expect(await findBrokenAudit(kysely, ["cd".repeat(32)]), "another key's").to.not.equal(undefined);
        await writeSetting(kysely, "audit_head", auditHeadText(await readAuditHead(kysely)));
        expect(await findCutAudit(kysely)).to.equal(undefined);
        await kysely.deleteFrom("audit_log").where("id", "=", last.id).execute();
        expect(await findBrokenAudit(kysely, [key]), "the chain alone does not tell").to.equal(undefined);
        expect(await findCutAudit(kysely)).to.equal(`${last.id} ${last.hash}`);
        expect(await auditProblem(kysely, [key])).to.equal(`its end was cut: ${last.id} ${last.hash} is gone`);
      } finally {
        signAuditBy(undefined);
      }
    });

    it("is told who else became an admin at the start that reads it", async () => {
      const owner = await api.admin("owner");
      await tellChangedAdmins(api.services);
      const changed = async () =>
        (await owner.get("/api/admin/audit-log?query=admins.changed")).body.rows.map(
          (row: { params: object }) => row.params,
        );
      expect(await changed(), "the first start tells nothing").to.deep.equal([]);
      const intruder = await api.admin("operator");
      await tellChangedAdmins(api.services);
      await tellChangedAdmins(api.services);
      expect(await changed()).to.deep.equal([{ added: [`${intruder.address}:operator`], removed: [] }]);
    });

    it("leaves nothing that the person typed, or staff about them, in any table", async () => {
      const { kysely } = database;
      const MARK = "MarcaInconfundivel";
      const buyer = new Caller(api.url);
      const { challenge } = (await buyer.post("/api/check-user", { address: buyer.address })).body;
      const signature = await buyer.account.signMessage({ message: challenge.message });
      const person = { first_name: `${MARK}a`, last_name: `${MARK}b`, email: `${MARK}@example.com` };
      const proof = { address: buyer.address, nonce: challenge.nonce, signature, mail_language: "pt" };
      buyer.token = (await buyer.post("/api/register-user-data", { ...person, ...proof })).body.token;
      const [owner, operator] = [await api.admin("owner"), await api.admin("operator")];
      const reason = `por causa de ${MARK}`;
      const purchase = await insertPlainPurchase(kysely, { wallet: buyer.address });
      await kysely
        .updateTable("purchases")
        .set({ metadata_uri: `https://${MARK}.example` })
        .execute();
      expect((await operator.post(`/api/admin/purchases/${purchase}/hold`, { reason })).status).to.equal(200);
      const click = await kysely
        .insertInto("clicks")
        .values({
          ...{ token: "c".repeat(26), wallet: buyer.address, store_id: 1n, store_name: "Loja", terms: "{}" },
          ...{ created_at: 1n, expires_at: 2n },
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      for (const state of ["open", "refused"] as const)
        await kysely
          .insertInto("claims")
          .values({
            ...{ wallet: buyer.address, store_id: 1n, click_id: click.id, order_ref: `${MARK}-${state}`, state },
            ...{ amount_cents: 100n, purchased_on: "2026-11-01", note: `Meu CPF ${MARK}`, created_at: 1n },
            reason: state === "open" ? null : reason,
          })
          .execute();
      const [open] = await kysely.selectFrom("claims").select("id").where("state", "=", "open").execute();
      await operator.post(`/api/admin/claims/${open?.id}/refuse`, { reason });
      await kysely
        .insertInto("idempotency_keys")
        .values({ key: MARK, wallet: buyer.address, request_hash: "", status: 200n, response: MARK, created_at: 1n })
        .execute();
      expect((await owner.post(`/api/admin/users/${buyer.address}/nickname`, { nickname: MARK })).status).to.equal(200);
      await owner.post(`/api/admin/users/${buyer.address}/sessions/revoke`, { reason });
      expect((await erase(owner, buyer.address, reason)).status).to.equal(202);
      const found = await tablesWith(database, MARK);
      expect(found).to.include.members([
        "users",
        "claims",
        "purchases",
        "audit_notes",
        "proposals",
        "idempotency_keys",
      ]);
      expect(found).to.not.include("audit_log");
      const log = (await owner.get("/api/admin/audit-log?query=purchase.hold")).body.rows[0];
      expect(log.params.reason, "the panel shows it").to.equal(reason);
      await later(73);
      expect(await isRegistered(buyer.address)).to.equal(false);
      expect(await tablesWith(database, MARK)).to.deep.equal([]);
    });
  });
});

/** The tables with a row that contains a text, in whatever case. */
async function tablesWith({ kysely }: Database, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of TABLE_NAMES) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(kysely);
    const isIn = (value: unknown) => String(value).toLowerCase().includes(text.toLowerCase());
    if (rows.some((row) => Object.values(row as object).some(isIn))) found.push(table);
  }
  return found;
}
