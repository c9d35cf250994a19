import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import type { Database } from "../../core/database/connect.ts";
import { TABLE_NAMES } from "../../core/database/generated/schema.ts";
import { eraseNow } from "../testing/due-proposals.ts";
import { PERSON } from "../testing/shopper.ts";
import type { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { onBothSystems } from "./support/system.ts";

const EMAIL = "quem-quer-sair@example.com";
const LAST_NAME = "Sobrenome Inconfundível";

/** Its disk is not the database's. */
const ERASED_FILE = join(mkdtempSync(join(tmpdir(), "torcida-erased-")), "erased");
after(() => rmSync(dirname(ERASED_FILE), { recursive: true, force: true }));

// Lei Geral de Proteção de Dados, article 18: the person is erased, the wallet's purchases stay.
onBothSystems("The erasure of a profile", { SIMULATED_STEP_DELAY_MS: "100", ERASED_FILE }, (system) => {
  const enterAs = async (caller: Caller) => {
    const { challenge } = (await caller.post("/api/check-user", { address: caller.address })).body;
    const signature = await caller.account.signMessage({ message: challenge.message });
    const proof = { address: caller.address, signature, nonce: challenge.nonce };
    const person = { ...PERSON, email: EMAIL, last_name: LAST_NAME };
    const answer = await caller.post("/api/register-user-data", { ...person, ...proof });
    expect(answer.status, answer.text).to.equal(200);
    caller.token = answer.body.token;
  };

  it("leaves no trace of the person in any table or log, and keeps the wallet's purchases", async () => {
    const caller = system().anonymous();
    await enterAs(caller);
    const id = await caller.buy(1, 100, "verdao");
    const before = await caller.seen(id, (one) => one.cashback_state === "paid");
    const database = await system().database();
    expect(await tablesWith(database, EMAIL), "the test finds it where it is").to.deep.equal(["users"]);

    await eraseNow(caller, database.kysely);
    const line = readFileSync(ERASED_FILE, "utf8").trim().split("\n").at(-1) ?? "";
    expect(line, "a restore erases again").to.match(/^\S+Z [0-9a-f]{64} [0-9a-f]{8}$/);
    for (const text of [EMAIL, LAST_NAME]) expect(await tablesWith(database, text), text).to.deep.equal([]);
    expect(await tablesWith(database, caller.address)).to.include.members(["users", "purchases", "nfts"]);
    expect(system().apiLog() + system().indexerLog()).to.not.contain(EMAIL);
    expectRefusal(await caller.get("/api/me"), 401, "UNAUTHORIZED");
    expect((await caller.post("/api/check-user", { address: caller.address })).body.exists).to.equal(false);
    expect((await caller.get(`/api/nfts/${id}`)).status, "the ticket is the wallet's, on the chain").to.equal(200);

    await caller.enter();
    const me = await caller.me();
    expect(me).to.include(PERSON);
    // What the payment was worth is known once the day has a rate, which may be later than the payment.
    expect(me.purchases).to.deep.equal([{ ...before, paid_value: me.purchases[0]?.paid_value }]);
    expect(me.totals).to.include({ paid: "7", count: 1 });
  });

  it("ends every session, and refuses a fixed sentence afterwards", async () => {
    const caller = system().anonymous();
    await enterAs(caller);
    const first = caller.token;
    await caller.enter();
    await eraseNow(caller, (await system().database()).kysely);
    for (const token of [first, caller.token]) {
      caller.token = token;
      expectRefusal(await caller.get("/api/me"), 401, "UNAUTHORIZED");
    }
    const signature = await caller.signSentence("register");
    const fixed = await caller.post("/api/register-user-data", { ...PERSON, address: caller.address, signature });
    expectRefusal(fixed, 400, "NONCE_REQUIRED");
  });

  it("does not stop a pending payout", async () => {
    const caller = system().anonymous();
    await enterAs(caller);
    const id = await caller.buy();
    await eraseNow(caller, (await system().database()).kysely);
    await caller.enter();
    await caller.seen(id, (one) => one.cashback_state === "paid");
    expect((await caller.me()).nativeBalance).to.equal("5");
  });
});

/** The tables with a row that contains a text. */
async function tablesWith({ kysely }: Database, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of TABLE_NAMES) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(kysely);
    const hasIt = rows.some((row) => Object.values(row as object).some((value) => String(value).includes(text)));
    if (hasIt) found.push(table);
  }
  return found;
}
