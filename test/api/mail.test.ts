import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { sql } from "kysely";
import { takeEffect } from "../../api/admin/proposals.ts";
import { readEnvironment } from "../../api/environment.ts";
import { mailRound } from "../../api/mail/delivery.ts";
import { countedBy, deleteOldMails, isLinkRefused, listDueMails, oldestWaiting } from "../../api/mail/queue.ts";
import { findReader, findVerification, verify } from "../../api/mail/subscriptions.ts";
import { openPost, type Post, SENDING_LIMITS } from "../../api/mail/transport.ts";
import { unsubscribeKeys, unsubscribeToken, walletOfToken } from "../../api/mail/unsubscribe-tokens.ts";
import { hashTokens } from "../../api/operations/housekeeping.ts";
import { leaveAgain, readErasedList } from "../../api/people/erased-list.ts";
import { erasedFileOf } from "../../core/process/environment.ts";
import { isHeld } from "../../core/process/lease.ts";
import { MAIL_TOPIC_NAMES } from "../../core/rules/events.ts";
import { signInSentence } from "../../core/rules/session.ts";
import { escapeHtml } from "../../core/rules/text.ts";
import { onBothEngines, onEitherEngine } from "../testing/databases.ts";
import { dueProposals } from "../testing/due-proposals.ts";
import { MailServer, type Received } from "../testing/mail-server.ts";
import { PERSON } from "../testing/shopper.ts";
import { eventually } from "../testing/until.ts";
import { Caller } from "./support/caller.ts";
import { expectInvalid } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const textOf = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

describe("E-mails", function () {
  this.timeout(120_000);
  onBothEngines(({ open, otherEngineTag }) => {
    let server: MailServer;
    let api: InProcessApi;
    let post: Post;

    let url: string;
    let settings: Record<string, string>;
    const realNow = Date.now;

    beforeEach(async () => {
      server = new MailServer();
      await server.start();
      settings = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: "Torcida <avisos@shop.example>" };
      const opened = await open();
      url = opened.url;
      api = await startInProcess(opened.database, settings);
      post = api.services.post as Post;
    });
    afterEach(async () => {
      Date.now = realNow;
      await api.stop();
      await server.stop();
    });

    const erase = async (who: Caller) => {
      expect((await who.askErasure()).status).to.equal(202);
      await dueProposals(kysely(), 72);
      await takeEffect(api.services);
    };
    const round = (held = new AbortController().signal) => mailRound(api.services, post, undefined, held);
    const kysely = () => api.services.database.kysely;
    const makeDue = async () => {
      await kysely().updateTable("mails").set({ due_at: 0n }).where("due_at", "is not", null).execute();
    };
    const linkOf = (mail: Pick<Received, "raw"> | undefined, name: string) => {
      const token = new RegExp(`/mail/${name}\\?token=([\\w-]+)`).exec(mail?.raw ?? "")?.[1];
      expect(token, name).to.match(/^[\w-]{32}(?:[\w-]{16})?$/);
      return `${api.url}/mail/${name}?token=${token}`;
    };
    const choose = (caller: Caller, language = "pt", topics: readonly string[] = MAIL_TOPIC_NAMES) =>
      caller.send("PUT", "/api/me/mail", JSON.stringify({ topics, language }));
    const send = (caller: Caller) => caller.post("/api/me/mail/send", {});
    const want = async (...choice: Parameters<typeof choose>) => {
      const answer = await choose(...choice);
      await send(choice[0]);
      return answer;
    };
    /** A user with a verified address: who opens the link has its e-mail's text. */
    const reader = async (language = "pt") => {
      const caller = await api.user();
      expect((await want(caller, language)).status).to.equal(200);
      const asked = kysely().selectFrom("mails").select("text").where("wallet", "=", caller.address);
      const { text } = await asked.executeTakeFirstOrThrow();
      const answer = await fetch(linkOf({ raw: text }, "verify"), { method: "POST" });
      expect(answer.status).to.equal(200);
      await kysely().deleteFrom("mails").where("wallet", "=", caller.address).execute();
      return caller;
    };

    const userAt = async (email: string) => {
      const caller = await api.user();
      await kysely().updateTable("users").set({ email }).where("wallet", "=", caller.address).execute();
      expect((await choose(caller)).status).to.equal(200);
      return caller;
    };

    it("send no link before its user asks for one, and then one for two presses", async () => {
      const caller = await userAt("ana@example.com");
      await round();
      expect(server.received).to.deep.equal([]);
      const answers = await Promise.all([send(caller), send(caller)]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      await round();
      expect(server.received).to.have.length(1);
      const idle = await api.user();
      expect((await send(idle)).body.code).to.equal("MAIL_UNWANTED");
    });

    it("send an inbox at most five links a day, however many wallets spell it in whatever way", async () => {
      const spellings = ["ana.b@gmail.com", "Ana.B@Gmail.com", "anab+1@gmail.com", "a.nab+x+y@googlemail.com"];
      const callers = await Promise.all(Array.from({ length: 8 }, (_, index) => userAt(spellings[index % 4] ?? "")));
      const answers = await Promise.all(callers.map(send));
      expect(answers.filter(({ status }) => status === 200)).to.have.length(5);
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.headers.get("retry-after")).to.equal("3600");
      await round();
      expect(server.received).to.have.length(5);
    });

    it("send a domain of somebody at most fifty links a day", async () => {
      const counted = { ...countedBy({ origin: "192.0.2.1", address: "x@victim.example" }, {}), inbox_hash: "other" };
      const texts = { subject: "", text: "", html: "", unsubscribe_token: null, due_at: null };
      const sent = (index: number) => ({
        ...{ ...texts, ...counted, message_id: `sent ${index}`, created_at: BigInt(Date.now()) },
        ...{ wallet: "0x" as const, kind: "verify" as const, address: "" },
      });
      const asker = { wallet: "0x1" as const, origin: "192.0.2.2", address: "y@victim.example" };
      const isRefused = () => isLinkRefused(kysely(), asker, countedBy(asker, {}));
      await kysely()
        .insertInto("mails")
        .values(Array.from({ length: 49 }, (_, index) => sent(index)))
        .execute();
      expect(await isRefused()).to.equal(false);
      await kysely().insertInto("mails").values(sent(49)).execute();
      expect(await isRefused()).to.equal(true);
    });

    it("go to no address that was verified before the wallet's first challenge", async () => {
      // Whoever holds a copied signature of the bare message can name an address of theirs.
      const thief = new Caller(api.url);
      const signature = await thief.account.signMessage({ message: signInSentence("register", thief.address) });
      const body = { ...PERSON, email: "ladrao@example.com", address: thief.address, signature, mail_language: "pt" };
      thief.token = (await thief.post("/api/register-user-data", body)).body.token;
      const verified = { mail_address: "ladrao@example.com" };
      await kysely().updateTable("event_readers").set(verified).where("wallet", "=", thief.address).execute();
      await thief.buy(1, 10);
      await round();
      expect(server.received).to.have.length(1);
      await thief.buy(1, 20);
      await thief.enter();
      await round();
      expect(server.received, "none to the thief any more").to.have.length(1);
      expect((await thief.get("/api/me/mail")).body).to.include({ is_verified: false });
      await send(thief);
      await round();
      expect(server.received.at(-1)?.subject, "asked again").to.match(/^Confirme/);
    });

    it("count an erased profile's links to an address, without the address", async () => {
      const email = "ana@example.com";
      for (let count = 0; count < 6; count++) {
        const caller = await api.user();
        await kysely().updateTable("users").set({ email }).where("wallet", "=", caller.address).execute();
        await want(caller);
        await round();
        await erase(caller);
      }
      expect(server.received).to.have.length(5);
      const kept = await kysely().selectFrom("mails").selectAll().execute();
      expect(kept).to.have.length(5);
      expect(JSON.stringify(kept, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.to.match(
        /ana|0x/i,
      );
      await deleteOldMails(kysely(), BigInt(Date.now() + 86_400_001), 100);
      expect(await kysely().selectFrom("mails").selectAll().execute()).to.deep.equal([]);
    });

    it("of one wallet that cannot be written keep no other's waiting", async () => {
      const [poisoned, other] = [await reader(), await reader()];
      for (const caller of [poisoned, other]) await caller.buy(1, 100);
      const own = () =>
        kysely().selectFrom("events").select("mail_at").where("wallet", "=", poisoned.address).execute();
      const created_at = 9_000_000_000_000_000n;
      await kysely().updateTable("events").set({ created_at }).where("wallet", "=", poisoned.address).execute();
      await round();
      expect(server.received).to.have.length(1);
      expect((await own()).every(({ mail_at }) => Number(mail_at) > Date.now())).to.equal(true);
    });

    it("are about the chosen topics only", async () => {
      const caller = await reader();
      await want(caller, "pt", ["paid"]);
      await caller.buy(1, 10);
      await round();
      expect(server.received).to.deep.equal([]);
      await want(caller);
      await caller.buy(1, 20);
      await want(caller, "pt", ["paid"]);
      await round();
      expect(server.received, "chosen anew before it was written").to.deep.equal([]);
    });

    it("become a digest above five a day, of the next morning", async () => {
      const caller = await reader();
      for (let count = 1; count <= 5; count++) {
        await caller.buy(1, count);
        await round();
      }
      await caller.buy(1, 6);
      await caller.buy(1, 7);
      await round();
      expect(server.received).to.have.lengthOf(5);
      const waiting = await kysely().selectFrom("events").selectAll().where("mail_at", "is not", null).execute();
      expect(waiting).to.have.lengthOf(2);
      for (const { mail_at: at } of waiting) {
        expect(new Date(Number(at)).toISOString(), "eight in São Paulo").to.match(/T11:00:00\.000Z$/);
        expect(Number(at)).to.be.within(Date.now(), Date.now() + 2 * 86_400_000);
      }
      // The next day: yesterday's e-mails count no more, and it is eight.
      await kysely()
        .updateTable("mails")
        .set((set) => ({ created_at: set("created_at", "-", 2n * 86_400_000n) }))
        .execute();
      await kysely()
        .updateTable("events")
        .set((set) => ({ created_at: set("created_at", "-", 86_400_000n), mail_at: BigInt(Date.now()) - 1n }))
        .where("mail_at", "is not", null)
        .execute();
      await round();
      expect(server.received).to.have.lengthOf(6);
      expect(server.received[5]?.subject).to.equal("2 novidades sobre as suas compras");
      expect(server.received[5]?.raw)
        .to.match(/R\$\s6,00/)
        .and.to.match(/R\$\s7,00/);
    });

    it("are as old as the one that has waited longest, however late its next attempt is", async () => {
      const mail = { wallet: (await api.user()).address, kind: "events" as const, address: PERSON.email };
      const texts = { subject: "s", text: "t", html: "h", unsubscribe_token: null };
      const write = (message_id: string, created_at: bigint, due_at: bigint | null) =>
        kysely()
          .insertInto("mails")
          .values({ ...mail, ...texts, message_id, created_at, due_at })
          .execute();
      await write("sent", 500n, null);
      await write("retried", 1_000n, 9_000n);
      await write("new", 8_000n, 8_000n);
      expect(await oldestWaiting(kysely())).to.equal(1_000n);
    });

    it("are not sent while nothing can be recorded, nor by two processes at once", async () => {
      const caller = await reader();
      await caller.buy(1, 10);
      server.thinksMs = 300;
      await Promise.all([round(), round()]);
      expect(server.received).to.have.length(1);
      await caller.buy(1, 20);
      const isPostgres = api.services.database.engine === "postgres";
      const refuse = isPostgres
        ? [
            "create function no_write() returns trigger as $$ begin raise exception 'full'; end $$ language plpgsql",
            "create trigger no_write before update on mails for each row execute function no_write()",
          ]
        : ["create trigger no_write before update on mails begin select raise(abort, 'full'); end"];
      for (const statement of refuse) await sql.raw(statement).execute(kysely());
      for (let second = 0; second < 3; second++) await round().catch(() => {});
      expect(server.received, "no disk, no e-mail").to.have.length(1);
      await sql.raw(`drop trigger no_write${isPostgres ? " on mails" : ""}`).execute(kysely());
      await round();
      expect(server.received).to.have.length(2);
    });

    it("are one link after an hour without their server, and none that is void", async () => {
      const caller = await api.user();
      await server.stop();
      for (let quarter = 0; quarter < 4; quarter++) {
        Date.now = () => realNow() + quarter * 900_000;
        await want(caller);
      }
      await server.start();
      await makeDue();
      await round();
      expect(server.received).to.have.length(1);
      const answer = await fetch(linkOf(server.received[0], "verify"), { method: "POST" });
      expect(await answer.text()).to.include("E-mail confirmado");
      await want(await api.user());
      Date.now = () => realNow() + 2 * 86_400_000;
      await round();
      expect(server.received).to.have.length(1);
    });

    it("are not sent to an address that the profile left while its link was opened", async () => {
      const caller = await api.user();
      await want(caller);
      await round();
      const link = linkOf(server.received.pop(), "verify");
      const token = new URL(link).searchParams.get("token") ?? "";
      const found = await findVerification(kysely(), token);
      expect(found).not.to.equal(undefined);
      await caller.changeMail("outro@example.com");
      expect(await verify(kysely(), found as NonNullable<typeof found>)).to.equal(false);
      expect(await (await fetch(link, { method: "POST" })).text()).to.include("Este link não vale mais");
      expect((await caller.get("/api/me/mail")).body.is_verified).to.equal(false);
    });

    it("go to nobody who erased the profile, and to no address that has changed", async () => {
      const [leaving, moving] = [await reader(), await reader()];
      await leaving.buy(1, 10);
      await moving.buy(1, 20);
      await erase(leaving);
      expect((await moving.changeMail("outro@example.com")).status).to.equal(200);
      await round();
      await leaving.buy(1, 30).catch(() => {});
      await round();
      expect(server.received).to.deep.equal([]);
      const wallets = await kysely().selectFrom("mails").select("wallet").execute();
      expect(wallets.map((row) => row.wallet)).not.to.include(leaving.address.toLowerCase());
    });

    describe(`whatever the database ${otherEngineTag}`.trim(), () => {
      it("go to nobody before the link was opened and confirmed, once, within 24 hours", async () => {
        const caller = await api.user();
        expect((await want(caller)).body).to.include({ is_available: true, is_verified: false });
        await caller.buy(1, 100);
        await round();
        const [mail, ...others] = server.received;
        expect(others).to.deep.equal([]);
        expect(mail?.subject).to.equal("Confirme o seu e-mail na Torcida");
        expect(mail?.to).to.deep.equal([PERSON.email]);
        const link = linkOf(mail, "verify");
        expect(await (await fetch(link)).text(), "opening it alone does nothing").to.include('<form method="post">');
        expect((await caller.get("/api/me/mail")).body.is_verified).to.equal(false);
        await kysely().updateTable("event_readers").set({ verify_until: 1n }).execute();
        expect(await (await fetch(link, { method: "POST" })).text()).to.include("Este link não vale mais");
        await kysely()
          .updateTable("event_readers")
          .set({ verify_until: BigInt(Date.now() + 60_000) })
          .execute();
        expect(await (await fetch(link, { method: "POST" })).text()).to.include("E-mail confirmado");
        expect((await caller.get("/api/me/mail")).body.is_verified).to.equal(true);
        expect(await (await fetch(link, { method: "POST" })).text(), "once").to.include("Este link não vale mais");
        await round();
        expect(server.received, "nothing about the time before").to.have.lengthOf(1);
      });

      it("have one link for who ticks one topic after the other, and another later", async () => {
        const caller = await api.user();
        for (const count of [1, 2, 3]) await want(caller, "pt", MAIL_TOPIC_NAMES.slice(0, count));
        await round();
        expect(server.received).to.have.length(1);
        Date.now = () => realNow() + 600_001;
        await want(caller);
        await round();
        expect(server.received).to.have.length(2);
        const [first, second] = server.received.map((mail) => linkOf(mail, "verify"));
        expect(await (await fetch(first ?? "", { method: "POST" })).text()).to.include("Este link não vale mais");
        expect(await (await fetch(second ?? "", { method: "POST" })).text()).to.include("E-mail confirmado");
      });

      it("are asked for at the registration, in its language, or not at all", async () => {
        const register = async (more: object) => {
          const caller = new Caller(api.url);
          const { nonce, message } = await caller.challenge();
          const signature = await caller.account.signMessage({ message });
          const body = { ...PERSON, address: caller.address, signature, nonce, ...more };
          const answer = await caller.post("/api/register-user-data", body);
          caller.token = answer.body.token;
          return { caller, answer };
        };
        const choiceOf = async ({ caller }: { caller: Caller }) => (await caller.get("/api/me/mail")).body;
        expectInvalid((await register({ mail_language: "fr" })).answer, "mail_language");
        const silent = await register({});
        await round();
        expect(server.received).to.deep.equal([]);
        expect(await choiceOf(silent)).to.deep.include({ topics: [], is_verified: false });

        const asking = await register({ mail_language: "en", email: "bia@example.com" });
        await round();
        expect(server.received, "not before a press").to.deep.equal([]);
        await send(asking.caller);
        await round();
        expect(server.received.map(({ to, subject }) => [to, subject])).to.deep.equal([
          [["bia@example.com"], "Confirm your email address at Torcida"],
        ]);
        const asked = { topics: MAIL_TOPIC_NAMES, language: "en", is_verified: false };
        expect(await choiceOf(asking)).to.deep.include(asked);
        await fetch(linkOf(server.received[0], "verify"), { method: "POST" });
        expect(await choiceOf(asking)).to.deep.include({ ...asked, is_verified: true });
      });

      it("say what happened, plain and in HTML, in the reader's language, and nothing about others", async () => {
        const [one, other] = [await reader("pt"), await reader("en")];
        await one.buy(1, 10);
        await round();
        await other.buy(2, 20);
        await round();
        const [pt, en] = server.received;
        expect(pt?.subject).to.equal("Compra registrada: Verdão Store");
        expect(pt?.raw).to.match(/\d\d:\d\d \(São Paulo\)/);
        expect(pt?.raw)
          .to.match(/Compra de R\$\s10,00 registrada/)
          .and.to.include('lang="pt-BR"');
        expect(en?.subject).to.match(/^Purchase recorded: /);
        expect(en?.raw)
          .to.match(/Purchase of R\$20\.00 recorded/)
          .and.to.include("Unsubscribe")
          .and.not.to.include("10.00");
        expect(pt?.raw).to.include("text/plain").and.to.include("text/html");
        expect(pt?.raw).to.include("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
        expect(pt?.id).to.match(/^<[0-9a-f]{40}@shop\.example>$/);
        expect(pt?.id).not.to.equal(en?.id);
        const stored = await kysely().selectFrom("mails").select(["text", "html"]).execute();
        expect(
          stored.every((row) => row.text + row.html === ""),
          "what was sent is not kept",
        ).to.equal(true);
      });

      it("have no line of a header from a store's name", async () => {
        const caller = await reader();
        await caller.buy(1, 10);
        const store_name = "Loja\r\nBcc: outra@example.com\r\n\r\n<b>oi</b>";
        await kysely().updateTable("events").set({ store_name }).execute();
        await round();
        const [mail] = server.received;
        expect(mail?.to).to.deep.equal([PERSON.email]);
        expect(mail?.raw.split("\r\n\r\n")[0]).not.to.match(/^Bcc:/im);
        expect(mail?.raw).to.include("List-Unsubscribe:");
      });

      it("wait for a server that says later, one address keeping no other's waiting", async () => {
        const caller = await api.user();
        await caller.changeMail("depois@example.com");
        Object.assign(server, { refused: "depois@example.com", refusedWith: 451 });
        await want(caller);
        await want(await api.user());
        await round();
        expect(server.received.map(({ to }) => to[0])).to.deep.equal([PERSON.email]);
        server.refused = "";
        await makeDue();
        await round();
        expect(server.received.map(({ to }) => to[0])).to.deep.equal([PERSON.email, "depois@example.com"]);
      });

      it("wait while the server is away, and lose and delay nothing", async () => {
        const caller = await reader();
        await server.stop();
        await caller.buy(1, 10);
        await caller.buy(1, 20);
        await round();
        const waiting = await kysely().selectFrom("mails").selectAll().where("due_at", "is not", null).execute();
        expect(waiting).to.have.lengthOf(2);
        for (const mail of waiting) {
          expect(mail).to.include({ attempts: 1n, error: "ESOCKET" });
          expect(Number(mail.due_at)).to.be.greaterThan(Date.now());
        }
        expect((await caller.get("/api/events")).body.unread).to.equal(2);
        await server.start();
        await round();
        expect(server.received, "not before its time").to.deep.equal([]);
        await makeDue();
        await round();
        await round();
        expect(server.received.map(({ id }) => id)).to.have.members(waiting.map((mail) => mail.message_id));
      });

      it("are sent once each after an hour without their server, which delays nothing else", async () => {
        const caller = await reader();
        await server.stop();
        const start = realNow();
        const bought: number[] = [];
        for (let minute = 0; minute <= 60; minute++) {
          Date.now = () => start + minute * 60_000;
          if (minute % 20 === 5) {
            bought.push(await caller.buy(1, 10 + minute));
            const [newest] = (await caller.get("/api/events")).body.events;
            expect(newest.purchase_id, "in the bell at once").to.equal(bought.at(-1));
          }
          await round();
        }
        const attempts = await kysely().selectFrom("mails").select("attempts").where("kind", "=", "events").execute();
        expect(attempts).to.have.length(3);
        expect(
          attempts.every((row) => row.attempts > 1n && row.attempts < 15n),
          "ever more rarely",
        ).to.equal(true);
        // It is back, and a new process has taken over.
        await server.start();
        post = openPost(api.services.environment) as Post;
        for (let minute = 61; minute <= 80; minute++) {
          Date.now = () => start + minute * 60_000;
          await round();
        }
        const values = server.received.map(({ raw }) => /Compra de R\$\s(\d+),00/.exec(raw)?.[1]);
        expect(values.toSorted()).to.deep.equal(["15", "35", "55"]);
      });

      describe("with a server that", () => {
        /** Until this server answers again; one that does has all the time of a busy machine. */
        const impatient = (limits: Partial<typeof SENDING_LIMITS>) => {
          post = openPost(api.services.environment, { ...SENDING_LIMITS, ...limits }) as Post;
        };
        const patient = () => impatient({});
        const waiting = () => kysely().selectFrom("mails").selectAll().where("due_at", "is not", null).execute();
        const dueIn = async () =>
          (await waiting()).map((mail) => Math.ceil((Number(mail.due_at) - Date.now()) / 60_000));
        let caller: Caller;
        beforeEach(async () => {
          caller = await reader();
          await caller.buy(1, 10);
        });

        it("thinks long about an e-mail are sent once", async () => {
          server.thinksMs = 1_500;
          await round();
          expect(await waiting()).to.deep.equal([]);
          await makeDue();
          await round();
          expect(server.received).to.have.length(1);
        });

        for (const [what, fault] of [
          ["does not answer to a whole e-mail", { silentAt: "end" }],
          ["drops the connection instead of answering to it", { drops: true }],
        ] as const) {
          it(`${what} are repeated seldom, with the same id, and keep the next`, async () => {
            await caller.buy(1, 20);
            Object.assign(server, fault);
            impatient({ answer: 600 });
            await round();
            expect(await dueIn(), "each in half an hour").to.deep.equal([30, 30]);
            await makeDue();
            await round();
            expect(await dueIn()).to.deep.equal([60, 60]);
            Object.assign(server, { silentAt: undefined, drops: false });
            patient();
            await makeDue();
            await round();
            expect(await waiting()).to.deep.equal([]);
            const ids = server.received.map(({ id }) => id);
            expect([ids.length, new Set(ids).size]).to.deep.equal([6, 2]);
          });
        }

        it("does not answer to an address are tried again soon, since it has nothing", async () => {
          server.silentAt = "recipient";
          impatient({ handOver: 300 });
          await round();
          expect(await waiting())
            .to.have.length(1)
            .and.to.have.nested.property("[0].error", "ETIMEDOUT");
          expect(await dueIn()).to.deep.equal([1]);
          server.silentAt = undefined;
          patient();
          await makeDue();
          await round();
          expect(server.received).to.have.length(1);
        });

        for (const [what, refusals, isFinal] of [
          ["refuses the sender", { sender: { code: 550, text: "5.1.8 bad sender" } }, false],
          ["says later", { message: { code: 451, text: "4.7.1 greylisted" } }, false],
          ["has no quota left", { message: { code: 550, text: "5.4.5 daily quota exceeded" } }, false],
          ["asks for a login", { message: { code: 530, text: "5.7.0 authentication required" } }, false],
          ["refuses the e-mail", { message: { code: 554, text: "5.6.0 not this one" } }, true],
        ] as const) {
          it(`${what} are ${isFinal ? "given up" : "kept"}`, async () => {
            server.refusals = refusals;
            await round();
            expect(await waiting()).to.have.length(isFinal ? 0 : 1);
            server.refusals = {};
            await makeDue();
            await round();
            expect(server.received).to.have.length(isFinal ? 0 : 1);
          });
        }

        it("says later and then never are given up at the second word", async () => {
          server.refusals = { message: { code: 451, text: "4.2.0 later" } };
          await round();
          server.refusals = { message: { code: 550, text: "5.1.1 no such user" } };
          await makeDue();
          await round();
          expect(await waiting()).to.deep.equal([]);
          expect(server.received).to.deep.equal([]);
        });

        it("is silent end in time when the process does, and lose and repeat nothing", async () => {
          for (const [silentAt, isDue] of [
            ["recipient", true],
            ["end", false],
          ] as const) {
            impatient({ lastAnswer: 300 });
            Object.assign(server, { silentAt, silences: 0 });
            const ending = new AbortController();
            const running = round(ending.signal);
            await eventually(async () => expect(server.silences).to.equal(1));
            const began = realNow();
            ending.abort();
            await running;
            expect(realNow() - began, silentAt).to.be.below(2_000);
            const [mail, ...others] = await waiting();
            expect(others, silentAt).to.deep.equal([]);
            expect(Number(mail?.due_at) <= realNow(), silentAt).to.equal(isDue);
          }
        });

        it("answers while the process ends are recorded as sent, and the next wait for another process", async () => {
          await caller.buy(1, 20);
          server.thinksMs = 200;
          const ending = new AbortController();
          const running = round(ending.signal);
          await eventually(async () => expect(server.received).to.have.length(1));
          ending.abort();
          await running;
          expect(await waiting()).to.have.length(1);
          await round();
          expect(new Set(server.received.map(({ id }) => id)).size).to.equal(2);
          expect(server.received).to.have.length(2);
        });
      });

      it("are repeated with the same id by whoever was killed before the record of it", async () => {
        const caller = await reader();
        await caller.buy(1, 10);
        const { received } = server;
        // The server has taken it, and the process is gone before it can write that down.
        const never = new AbortController().signal;
        const killed: Post = { ...post, send: (mail) => post.send(mail, never).then(() => new Promise(() => {})) };
        void mailRound(api.services, killed, undefined, never);
        for (let tries = 0; received.length === 0 && tries < 100; tries++)
          await new Promise((go) => setTimeout(go, 50));
        await round();
        expect(received, "not while it may still be sent").to.have.lengthOf(1);
        await makeDue();
        await round();
        await round();
        expect(received).to.have.lengthOf(2);
        expect(received[0]?.id).to.equal(received[1]?.id);
        // And before it was sent: the events are in exactly one e-mail.
        await kysely().updateTable("events").set({ mail_at: 1n }).execute();
        await round();
        expect(received).to.have.lengthOf(2);
      });

      it("are each sent once, whenever in a session with the server their process is killed", async () => {
        const caller = await reader();
        for (const reais of [10, 20, 30]) await caller.buy(1, reais);
        const start = () =>
          spawn(process.execPath, ["test/api/support/mailer-process.ts", url], {
            env: { ...process.env, ...settings },
            stdio: "ignore",
          });
        const kill = async (child: ChildProcess) => {
          const ended = once(child, "exit");
          child.kill("SIGKILL");
          await ended;
        };
        const expireLease = async () => {
          await kysely().updateTable("leases").set({ expires_at: 0n }).where("name", "=", "mail").execute();
          await makeDue();
        };
        const claimedSeconds = async () => {
          const { due_at } = await kysely()
            .selectFrom("mails")
            .select((eb) => eb.fn.max("due_at").as("due_at"))
            .executeTakeFirstOrThrow();
          return (Number(due_at) - realNow()) / 1_000;
        };
        for (const [at, least, most] of [
          ["recipient", 90, 150],
          ["end", 600, 660],
        ] as const) {
          Object.assign(server, { silentAt: at, silences: 0 });
          const child = start();
          try {
            await eventually(async () => expect(server.silences).to.equal(1));
            await eventually(async () => expect(await claimedSeconds(), at).to.be.within(least, most));
          } finally {
            await kill(child);
          }
          await expireLease();
        }
        const [unanswered, ...others] = server.received.map(({ id }) => id);
        expect(others).to.deep.equal([]);
        server.silentAt = undefined;
        const last = start();
        try {
          await eventually(
            async () =>
              expect(await kysely().selectFrom("mails").select("id").where("due_at", "is not", null).execute()).to.be
                .empty,
          );
        } finally {
          await kill(last);
        }
        const ids = server.received.map(({ id }) => id);
        expect(new Set(ids).size, "each event in an e-mail of its own").to.equal(3);
        expect(
          ids.filter((id) => id === unanswered),
          "again with its id",
        ).to.have.length(2);
        expect(ids).to.have.length(4);
      });

      it("end with their process, whose successor need not wait", async () => {
        const caller = await reader();
        await caller.buy(1, 10);
        Object.assign(server, { silentAt: "recipient", silences: 0 });
        const env = { ...process.env, ...settings };
        const child = spawn(process.execPath, ["test/api/support/mailer-process.ts", url], { env, stdio: "ignore" });
        const ended = once(child, "exit");
        await eventually(async () => expect(server.silences).to.equal(1));
        const began = realNow();
        child.kill("SIGTERM");
        expect(await ended).to.deep.equal([0, null]);
        expect(realNow() - began).to.be.below(3_000);
        expect(await isHeld(api.services.database, "mail")).to.equal(false);
        expect(await listDueMails(kysely(), BigInt(realNow()), 9)).to.have.length(1);
      });

      it("end by one click without a login, also those already written", async () => {
        const caller = await reader();
        await caller.buy(1, 10);
        await round();
        const link = linkOf(server.received.at(-1), "unsubscribe");
        server.received.length = 0;
        expect(await (await fetch(link)).text()).to.include("Parar de receber");
        await server.stop();
        await caller.buy(1, 20);
        await round();
        const headers = { "content-type": "application/x-www-form-urlencoded" };
        const ended = await fetch(link, { method: "POST", headers, body: "List-Unsubscribe=One-Click" });
        expect([ended.status, await ended.text()].join(" "))
          .to.include("200")
          .and.to.include("Você não recebe mais");
        await server.start();
        await makeDue();
        await caller.buy(1, 30);
        await round();
        expect(server.received).to.deep.equal([]);
        expect((await caller.get("/api/me/mail")).body).to.deep.include({ topics: [], is_verified: true });
        expect(await listDueMails(kysely(), BigInt(Date.now()), 9)).to.deep.equal([]);
      });

      it("end by no token that the database holds, and by those that 1.0.0 sent", async () => {
        const [caller, other] = [await reader(), await reader()];
        await caller.buy(1, 10);
        await round();
        const token = new URL(linkOf(server.received.at(-1), "unsubscribe")).searchParams.get("token") ?? "";
        expect(walletOfToken(token, await unsubscribeKeys(kysely(), api.services.environment))).to.equal(
          caller.address,
        );
        expect(JSON.stringify(await kysely().selectFrom("event_readers").selectAll().execute(), textOf)).to.not.include(
          token,
        );
        const ofOld = "dG9rZW4tb2YtMS4wLjAtdG9rZW4tb2Yt";
        const store = (unsubscribe_token: string) =>
          kysely()
            .updateTable("event_readers")
            .set({ unsubscribe_token })
            .where("wallet", "=", other.address)
            .execute();
        const open = async (text: string) => (await fetch(`${api.url}/mail/unsubscribe?token=${text}`)).text();
        await store(ofOld);
        expect(await open(ofOld), "beside a process of 1.0.0").to.include("Parar de receber");
        await hashTokens(api.services);
        const stored = (await findReader(kysely(), other.address))?.unsubscribe_token ?? "";
        expect(stored).to.match(/^[0-9a-f]{64}$/);
        expect(await open(ofOld)).to.include("Parar de receber");
        expect(await open(stored), "what a thief of a backup has").to.not.include("Parar de receber");
        const forged = unsubscribeToken(other.address, ["0x00"]);
        expect(await open(forged), "by another key").to.not.include("Parar de receber");
        await fetch(`${api.url}/mail/unsubscribe?token=${ofOld}`, { method: "POST" });
        expect((await findReader(kysely(), other.address))?.mail_topics).to.equal("");
      });

      it("stay ended in a database from before, until they are chosen again", async () => {
        const [byLink, byProfile, kept] = [await reader(), await reader(), await reader()];
        const { environment } = api.services;
        const before = await kysely().selectFrom("event_readers").selectAll().execute();
        const restored = async () => {
          for (const { wallet, ...row } of before)
            await kysely().updateTable("event_readers").set(row).where("wallet", "=", wallet).execute();
          return leaveAgain(kysely(), readErasedList(erasedFileOf(environment), environment));
        };
        const wanting = async () => {
          const readers = await kysely()
            .selectFrom("event_readers")
            .selectAll()
            .where("mail_topics", "<>", "")
            .execute();
          return readers.map(({ wallet }) => wallet).sort();
        };
        expect(await restored()).to.deep.equal({ erased: 0, unsubscribed: 0 });
        const token = unsubscribeToken(byLink.address, await unsubscribeKeys(kysely(), environment));
        const link = `${api.url}/mail/unsubscribe?token=${token}`;
        await fetch(link);
        expect(await restored(), "a page that was only opened ends nothing").to.include({ unsubscribed: 0 });
        for (const _ of ["once", "again"]) await fetch(link, { method: "POST" });
        await want(byProfile, "pt", []);
        await want(kept, "pt", MAIL_TOPIC_NAMES.slice(0, 1));
        expect(
          readFileSync(erasedFileOf(environment), "utf8").match(/^\S+Z [0-9a-f]{64} [0-9a-f]{8}$/gm),
        ).to.have.length(2);
        expect(await restored()).to.deep.equal({ erased: 0, unsubscribed: 2 });
        expect(await wanting()).to.deep.equal([kept.address]);
        await want(byLink);
        before.splice(0, before.length, ...(await kysely().selectFrom("event_readers").selectAll().execute()));
        expect(await restored()).to.deep.equal({ erased: 0, unsubscribed: 0 });
        expect(await wanting()).to.deep.equal([byLink.address, kept.address].sort());
      });

      it("to an address that is refused are given up, and keep no other waiting", async () => {
        const caller = await api.user();
        const answer = await caller.changeMail("ninguem@example.com");
        expect(answer.status).to.equal(200);
        server.refused = "ninguem@example.com";
        await want(caller);
        await want(await api.user());
        await round();
        expect(server.received.map(({ to }) => to[0])).to.deep.equal([PERSON.email]);
        expect(await listDueMails(kysely(), 10n ** 15n, 9)).to.deep.equal([]);
      });
    });
  });
});

describe("The e-mails of the local chain", () => {
  const KEY = `0x${"5a".repeat(32)}`;
  const spicy = {
    ...{ NETWORK: "spicy", RPC_URLS: "https://spicy-rpc.chiliz.com", OPERATOR_PRIVATE_KEY: KEY },
    ...{ PUBLIC_URL: "https://shop.example", SIMULATED_PURCHASES: "true" },
  };

  it("are kept for /dev/mail on this machine alone", () => {
    expect(openPost(readEnvironment({}))?.kept).to.deep.equal([]);
    expect(openPost(readEnvironment({ HOST: "0.0.0.0" }))).to.equal(undefined);
    expect(openPost(readEnvironment(spicy))).to.equal(undefined);
    const smtp = { SMTP_URL: "smtps://u:p@mail.example", MAIL_FROM: "avisos@shop.example" };
    expect(openPost(readEnvironment(smtp))?.kept).to.equal(undefined);
    expect(openPost(readEnvironment({ ...spicy, ...smtp }))?.kept).to.equal(undefined);
  });

  const NAME = `<b>"Gol" & Cia</b>`;
  const unescapeHtml = (html: string) => html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

  onEitherEngine(({ open }) => {
    it("are read there without a login, and their links work", async () => {
      const api = await startInProcess((await open()).database);
      try {
        const { services, url } = api;
        const post = services.post as Post;
        const caller = await api.user();
        const { kysely } = services.database;
        await kysely.updateTable("stores").set({ name: NAME }).where("id", "=", 1n).execute();
        /** What a browser makes of it: the page, and the e-mails in its frames, newest first. */
        const look = async () => {
          await mailRound(services, post, undefined, new AbortController().signal);
          const answer = await fetch(`${url}/dev/mail`);
          expect(answer.status).to.equal(200);
          expect(answer.headers.get("content-security-policy")).to.match(/^default-src 'none';/);
          const page = await answer.text();
          const frames = [...page.matchAll(/ srcdoc="([^"]*)"/g)].map(([, html = ""]) => unescapeHtml(html));
          return { page, frames };
        };
        const press = (frame: string | undefined, name: string) => {
          const [, path] = new RegExp(`href="http://[^/"]+(/mail/${name}\\?token=[\\w.~-]+)"`).exec(frame ?? "") ?? [];
          return fetch(`${url}${path}`, { method: "POST" }).then((answer) => answer.text());
        };
        await caller.send("PUT", "/api/me/mail", JSON.stringify({ topics: MAIL_TOPIC_NAMES, language: "pt" }));
        await caller.post("/api/me/mail/send", {});
        const first = await look();
        expect(first.page).to.include("<h1>E-mails: 1</h1>").and.to.include(`To: ${PERSON.email}`);
        expect(await press(first.frames[0], "verify")).to.include("E-mail confirmado");

        await caller.buy(1, 100);
        const { page, frames } = await look();
        expect(frames).to.have.length(2);
        expect(frames[0], "a frame that may load nothing is left").to.include('<base target="_top">');
        const name = escapeHtml(NAME);
        expect(page).to.include(`<h2>Compra registrada: ${name}</h2>`).and.not.to.include("<b>");
        expect(page).to.include("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
        expect(frames[0]).to.include(`<strong>${name}</strong>`).and.not.to.include("<b>");
        expect(await press(frames[0], "unsubscribe")).to.include("Você não recebe mais e-mails");
      } finally {
        await api.stop();
      }
    });
  });

  it("need a sender with their server", () => {
    expect(() => readEnvironment({ SMTP_URL: "smtp://mail.example" })).to.throw(/MAIL_FROM is missing/);
    expect(() => readEnvironment({ SMTP_URL: "http://mail.example" })).to.throw(/SMTP_URL must be a server/);
  });
});
