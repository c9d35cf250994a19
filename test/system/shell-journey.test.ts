import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect } from "chai";
import type { AppConfig } from "../../core/rules/api/config.ts";
import { isAlive } from "../testing/is-alive.ts";
import { readLedger } from "../testing/ledger.ts";
import { Shopper } from "../testing/shopper.ts";
import { removeData, startTorcida, systemEnvironment, type Torcida } from "../testing/torcida.ts";
import { until } from "../testing/until.ts";

const run = promisify(execFile);

describe("The whole loop from a shell @deep", function () {
  this.timeout(300_000);
  let torcida: Torcida;
  before(async () => {
    torcida = await startTorcida(await systemEnvironment());
  });
  after(async () => {
    await torcida?.stop();
    if (torcida) removeData(torcida);
  });

  const ledger = async () => {
    const { data } = (await (await fetch(`${torcida.url}/api/config`)).json()) as { data: AppConfig };
    return readLedger({
      rpcUrl: torcida.rpcUrl,
      purchaseNft: data.purchase_nft as `0x${string}`,
      cashbackDistributor: data.cashback_distributor as `0x${string}`,
    });
  };

  it("takes a purchase from registration to exactly one payout of exactly the right amount", async () => {
    const shopper = new Shopper(torcida.url);
    await shopper.signUp();
    const id = await shopper.buy(1, "123.45");
    const me = await shopper.paid([id]);

    // 5 % of R$ 123.45 at 1 CHZ for R$ 1.
    expect(me.totals.total).to.equal("6.1725");
    expect(me.nativeBalance).to.equal("6.1725");
    const chain = await ledger();
    expect(chain.mintsOf(id)).to.have.length(1);
    expect(chain.paymentsOf(id).map((log) => [log.args.recipient?.toLowerCase(), log.args.amount])).to.deep.equal([
      [shopper.address, 6_172_500_000_000_000_000n],
    ]);
    const uri = await chain.tokenUri(id);
    const metadata = JSON.parse(Buffer.from(uri.split(",")[1] ?? "", "base64").toString("utf8"));
    const attributes = Object.fromEntries(
      metadata.attributes.map((one: { trait_type: string; value: string }) => [one.trait_type, one.value]),
    );
    expect(attributes).to.include({
      Loja: "Verdão Store",
      "Valor da Compra": "R$ 123,45",
      Cashback: "5%",
      Status: "Confirmed",
    });
    expect(attributes.Comprador.toLowerCase()).to.equal(shopper.address);
  });

  it("runs the example of docs/api.md, from a new wallet to its cashback", async () => {
    const [, example = ""] = /```js\n(.*?)```/s.exec(readFileSync("docs/api.md", "utf8")) ?? [];
    const env = { ...process.env, API_URL: torcida.url };
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", example], {
      env,
      timeout: 60_000,
    });
    const lines = stdout.trim().split("\n");
    expect(lines[0]).to.match(/^Purchase \d+ at Verdão Store: send the buyer to https:/);
    expect(lines.at(-1)).to.equal("confirmed, cashback of 5 CHZ paid");
  });

  it("mints once and pays once, whatever is killed during four purchases", async () => {
    const shopper = new Shopper(torcida.url);
    await shopper.signUp();
    const ids: number[] = [];
    const victims = ["api", "indexer", "api", "indexer"] as const;
    for (const [index, victim] of victims.entries()) {
      ids.push(await patiently(() => shopper.buy((index % 8) + 1, 100 + index)));
      process.kill(torcida.pidOf(victim), "SIGKILL");
    }
    await shopper.paid(ids, 180_000);
    const chain = await ledger();
    for (const id of ids) {
      expect(chain.mintsOf(id), `mints of ${id}`).to.have.length(1);
      expect(chain.paymentsOf(id), `payments of ${id}`).to.have.length(1);
    }
  });

  it("continues with the same data after Ctrl-C and a second start", async () => {
    const shopper = new Shopper(torcida.url);
    await shopper.signUp();
    const id = await patiently(() => shopper.buy(2, 100));
    expect(await torcida.stop()).to.equal(0);
    torcida = await startTorcida(torcida.environment);
    await shopper.logIn();
    const me = await shopper.paid([id], 120_000);
    expect(me.nativeBalance).to.equal("7");
    expect((await ledger()).paymentsOf(id)).to.have.length(1);
  });

  it("says in one line that a port is in use", async () => {
    const other = await systemEnvironment();
    const outcome = await startTorcida({ ...other, PORT: torcida.environment.PORT ?? "" }).then(
      async (second) => {
        await second.stop();
        return "it started";
      },
      (error: Error) => error.message,
    );
    expect(outcome).to.match(/Port \d+ \(PORT\) is taken: end the program that uses it/);
  });

  for (const signal of ["SIGTERM", "SIGKILL"] as const)
    it(`ends with npm when that gets ${signal}`, async () => {
      await torcida.stop();
      const npm = spawn("npm", ["start"], { stdio: "ignore", env: { ...process.env, ...torcida.environment } });
      const isReady = async () => (await fetch(`${torcida.url}/readyz`).catch(() => undefined))?.ok;
      await until("it is ready", isReady, 180_000);
      const started = (["chain", "indexer", "api"] as const).map((name) => torcida.pidOf(name));
      expect(started.filter(isAlive)).to.have.length(3);
      npm.kill(signal);
      await until("all that it started is gone", () => !started.some(isAlive), 60_000);
    });
});

/** The API may be down or starting; a shopper clicks the button again. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const isPassing = error instanceof TypeError || /^Error: 503 /.test(String(error));
      if (tries > 300 || !isPassing) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
