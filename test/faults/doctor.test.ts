import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { connect } from "../../core/database/connect.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { AwinSimulator } from "../../scripts/rehearse/simulators/awin.ts";
import { freePorts } from "../testing/free-port.ts";
import { MailServer } from "../testing/mail-server.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";
import { supervise } from "./support/supervised.ts";

describe("The doctor @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem({ withoutIndexer: true });
  });
  after(() => system?.stop());

  /** Its output with some variables changed. */
  const consult = (changed: Record<string, string> = {}) => system.run("scripts/doctor.ts", [], changed);

  it("finds no failure in a running system, and reports warnings", async () => {
    const { code, output } = await consult();
    expect(output)
      .to.match(/✓ database: /)
      .and.match(/✓ roles: /)
      .and.match(/✓ sender: is /)
      .and.match(/✓ database writes: it can write/)
      .and.match(/! api: No purchase is registered until the index is complete\n {2}→ docs\/runbook\/indexer-behind.md/)
      .and.match(/, 0 to fix/);
    expect(output).to.include("! indexer: nobody holds the lease\n  → Start the indexer");
    expect(code).to.equal(0);
  });

  it("names a clock that is off, and sees by the database's who sends", async () => {
    const preload = `${process.env.NODE_OPTIONS ?? ""} --import ${process.cwd()}/test/testing/shifted-clock.ts`;
    const { output } = await consult({ NODE_OPTIONS: preload, CLOCK_OFFSET_MS: "3600000" });
    expect(output)
      .to.match(
        /! clock: The clock of this host is 3600\.\d s ahead of the database's\n {2}→ docs\/runbook\/clock-off.md/,
      )
      .and.match(/✓ sender: is /);
  });

  it("names an old backup, as /readyz does", async () => {
    const database = await connect(system.databaseUrl);
    try {
      const hours = 5 * 3_600_000;
      await writeSetting(database.kysely, "backed_up_at", String(Date.now()));
      await writeSetting(database.kysely, "backup_copied_at", String(Date.now() - hours));
      const problem = "The last copy of a backup on another machine is 5 hours old";
      const { output } = await consult();
      expect(output).to.include(`! backup: ${problem}\n`).and.not.include("The last backup is");
      const { warnings } = (await (await fetch(`${system.url}/readyz`)).json()) as { warnings: string[] };
      expect(warnings).to.include(problem);
    } finally {
      await database.kysely.deleteFrom("settings").where("name", "=", "backup_copied_at").execute();
      await database.close();
    }
  });

  it("asks the api for what only that knows, and says if it is away", async () => {
    const port = String((await freePorts(1))[0]);
    expect((await consult({ PORT: port })).output).to.match(
      /! api: http:\/\/127.0.0.1:\d+\/readyz does not answer, so its rate, senders and index are unknown: .+\n {2}→ Start it/,
    );
    const environment = { ...system.environment, PORT: port, RATE_URL: "https://127.0.0.1:9/rate.json" };
    const other = supervise({ name: "other", script: "api/main.ts", url: `http://127.0.0.1:${port}`, environment });
    other.start();
    try {
      await until("it answers", async () => (await fetch(`${other.url}/healthz`)).ok);
      const { code, output } = await consult({ PORT: port });
      expect(output).to.match(/✗ api: There is no exchange rate: .*\n {2}→ docs\/runbook\/rate-away.md/);
      expect(code).to.equal(1);
    } finally {
      await other.stop();
    }
  });

  it("logs in where e-mails go, and sends none", async () => {
    const server = new MailServer();
    await server.start();
    const mail = (user: string) => ({ SMTP_URL: `smtp://${user}127.0.0.1:${server.port}`, MAIL_FROM: "a@example.com" });
    try {
      expect((await consult(mail(""))).output).to.include(`✓ mail: 127.0.0.1:${server.port} lets us in\n`);
      const refused = await consult(mail("shop:secret-word@"));
      expect(refused.output)
        .to.match(/! mail: 127.0.0.1:\d+ does not take our e-mails: .+\n {2}→ Correct SMTP_URL/)
        .and.not.include("secret-word");
      expect(refused.code).to.equal(0);
      expect(server.received).to.deep.equal([]);
    } finally {
      await server.stop();
    }
    expect((await consult(mail(""))).output).to.match(
      /! mail: 127.0.0.1:\d+ does not take our e-mails: .*ECONNREFUSED/,
    );
  });

  it("asks where alerts and notices go, and sends none", async () => {
    const calls: string[] = [];
    const status = { now: 405 };
    const receiver = createServer(({ method, url }, response) => {
      calls.push(`${method} ${url}`);
      response.writeHead(status.now).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const file = join(system.directory, "alert.url");
    writeFileSync(file, `http://${host}/secret-topic\n`);
    const consultBoth = () =>
      consult({ ALERT_URL_FILE: file, NOTIFY_URL: `http://${host}/secret-hook`, NOTIFY_SECRET: "5".repeat(32) });
    try {
      const { code, output } = await consultBoth();
      for (const subject of ["alerts", "notices"]) expect(output).to.include(`✓ ${subject}: ${host} answers; `);
      expect([code, calls]).to.deep.equal([0, ["OPTIONS /secret-topic", "OPTIONS /secret-hook"]]);
      status.now = 401;
      // A receiver of notices checks their signature.
      expect((await consultBoth()).output)
        .to.include(`! alerts: ${host} answers 401, so it may take none`)
        .and.include(`✓ notices: ${host} answers; `);
      status.now = 404;
      const refused = await consultBoth();
      expect(refused.output)
        .to.include(`! alerts: ${host} answers 404, so it may take none\n  → Correct ${file} (docs/going-live.md#10`)
        .and.include(`! notices: ${host} answers 404, so it may take none\n  → Correct NOTIFY_URL`)
        .and.not.include("secret");
      expect(refused.code).to.equal(0);
    } finally {
      await new Promise((resolve) => receiver.close(resolve));
    }
    expect((await consultBoth()).output).to.match(/! alerts: 127.0.0.1:\d+ does not answer: .*ECONNREFUSED/);
    writeFileSync(file, "");
    expect((await consultBoth()).output).to.include("! alerts: the receiver's address is not a URL");
    rmSync(file);
    expect((await consultBoth()).output).to.match(
      /! alerts: .*alert.url cannot be read, so nobody is known to be called/,
    );
  });

  it("tries the account of a network that was never read, and no account that is", async () => {
    const awin = new AwinSimulator({ publisherId: "45628", token: "right-token" }, 20);
    const api_url = await awin.listen();
    const file = join(system.directory, "tried-accounts.json");
    const withToken = (token: string) => {
      writeFileSync(file, JSON.stringify([{ network: "awin", account: "br", publisher_id: "45628", token, api_url }]), {
        mode: 0o600,
      });
      return consult({ AFFILIATE_ACCOUNTS: file, SIMULATED_PURCHASES: "false", SALE_REF_KEY: "5a".repeat(32) });
    };
    const database = await connect(system.databaseUrl);
    try {
      expect((await withToken("right-token")).output).to.include("✓ network account: awin/br lets us in\n");
      const refused = await withToken("wrong-token");
      expect(refused.output)
        .to.match(
          /✗ network account: awin\/br does not let us in: The network answered 401.*\n {2}→ Correct it in AFFILIATE_ACCOUNTS/,
        )
        .and.not.include("wrong-token");
      expect(refused.code).to.equal(1);
      const { calls } = awin;
      const before = calls.length;
      const read = { network: "awin", account: "br", read_at: BigInt(Date.now()) };
      await database.kysely.insertInto("affiliate_status").values(read).execute();
      expect((await withToken("wrong-token")).output).not.to.include("network account");
      expect(calls.length, "of an account that is read").to.equal(before);
    } finally {
      await database.kysely.deleteFrom("affiliate_status").execute();
      await database.close();
      await awin.close();
    }
  });

  it("names every wrong variable of every process at once", async () => {
    const wrong = { PORT: "99999", POLL_INTERVAL_MS: "1s", AFFILIATES_PORT: "none", BACKUP_PUBLIC_KEY: "age1" };
    const { code, output } = await consult(wrong);
    for (const name of Object.keys(wrong)) expect(output).to.match(new RegExp(`✗ configuration: ${name} must `));
    expect(output).to.match(/, 4 to fix/);
    expect(code).to.equal(1);
  });

  it("detects another chain, and an unavailable one", async () => {
    const mainnet = {
      NETWORK: "chiliz",
      ADMIN_WALLETS: "",
      OPERATOR_PRIVATE_KEY: generatePrivateKey(),
      PUBLIC_URL: "https://torcida.example",
      RATE_URL: "https://rates.example/chz-brl",
    };
    expect((await consult(mainnet)).output).to.include("is of chain 88882, not 88888");
    // Neither is a node: the second answers as a provider does to a wrong path or key.
    const noNode = await consult({ RPC_URLS: system.url });
    expect(noNode.output).to.match(/✗ rpc 127.0.0.1:\d+: .*HTTP 404/);
    const { code, output } = await consult({ RPC_URLS: "http://127.0.0.1:9" });
    expect(output).to.match(/✗ rpc 127.0.0.1:9: .*\n {2}→ docs\/runbook\/rpc-away.md/);
    expect(code).to.equal(1);
  });

  it("does not create a missing database", async () => {
    const missing = join(system.directory, "missing.db");
    expect((await consult({ DATABASE_URL: missing })).output).to.include(`There is no database ${missing}`);
    expect((await consult({ DATABASE_URL: "postgres://torcida@127.0.0.1:9/torcida" })).output).to.match(
      /✗ database: .*did not answer/,
    );
  });

  it("detects an operator without roles and without CHZ", async () => {
    const key = generatePrivateKey();
    const { output } = await consult({ OPERATOR_PRIVATE_KEY: key });
    const { address } = privateKeyToAccount(key);
    expect(output).to.include(`${address} lacks MINTER_ROLE, CONFIRMER_ROLE, CATALOGUE_ROLE, PAYER_ROLE`);
    expect(output).to.include(`✗ hot wallet: 0 CHZ for gas\n  → Send CHZ to ${address}`);
  });

  it("detects missing contracts, and an empty distributor", async () => {
    const nowhere = "0x00000000000000000000000000000000000000aa";
    expect((await consult({ PURCHASE_NFT_ADDRESS: nowhere })).output).to.match(
      /PURCHASE_NFT_ADDRESS.* names 0x0+aa, where this chain has no contract/,
    );
    await system.anvil.request("anvil_setBalance", system.deployment.cashbackDistributor.address, "0x0");
    expect((await consult()).output).to.include("✗ distributor: 0 CHZ to pay with");
  });

  it("tells why the api sends nothing of a kind", async () => {
    const isFine = async () =>
      /✓ api: http:\S+\/readyz: it has a node, a rate and ids, and sends/.test((await consult()).output);
    system.indexer.start();
    await until("the index is complete", isFine, 60_000);
    await system.run("scripts/payouts.ts", ["--pause", "a drill"]);
    await until("the api knows it", async () => /! api: pay: .*a drill/.test((await consult()).output), 60_000);
    await system.run("scripts/payouts.ts", ["--resume"]);
    await until("the api sends again", isFine, 60_000);
  });
});
