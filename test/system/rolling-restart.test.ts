import { type ChildProcess, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { type FaultSystem, startFaultSystem } from "../faults/support/fault-system.ts";
import type { Supervised } from "../faults/support/supervised.ts";
import { freePorts } from "../testing/free-port.ts";
import { type Answer, Shopper } from "../testing/shopper.ts";
import { skipWithout } from "../testing/skip.ts";
import { until } from "../testing/until.ts";
import { startNginx } from "./support/nginx.ts";

const PURCHASES = 2_000;
const CALLERS = 16;
const PAUSE_MS = 50;

/** docs/operations.md#several-hosts */
describe("Two apis behind nginx, restarted one after the other @deep", function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-nginx-"));
  let system: FaultSystem;
  let apis: Supervised[] = [];
  let nginx: ChildProcess;
  let url = "";
  before(async function () {
    if (spawnSync("nginx", ["-v"]).status !== 0) skipWithout(this, "nginx: Debian's package");
    const environment = {
      DRAIN_SECONDS: "5",
      TRUST_PROXY: "loopback",
      RATE_LIMIT_SCALE: "1000",
      // Nothing is minted meanwhile.
      SIMULATED_STEP_DELAY_MS: "3600000",
    };
    system = await startFaultSystem({ environment });
    apis = [system.api, await system.anotherApi()];
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    nginx = startNginx(folder, port, apis);
    await until("nginx answers", async () => (await fetch(`${url}/healthz`)).ok);
  });
  after(async () => {
    nginx?.kill("SIGKILL");
    await system?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`loses none of ${PURCHASES} purchases, and doubles none`, async () => {
    const shopper = new Shopper(url);
    await shopper.signUp();
    const answers: Answer[] = [];
    let isOver = false;
    const call = async () => {
      while (!isOver || answers.length < PURCHASES) {
        const body = { user: shopper.address, store_id: 1, amount: 10 };
        answers.push(await shopper.call("POST", "/api/register-purchase", body));
        await delay(PAUSE_MS);
      }
    };
    const load = Promise.all(Array.from({ length: CALLERS }, call));
    for (const api of apis) {
      const stopped = api.stop("SIGTERM");
      await until("its health fails", async () => (await fetch(`${api.url}/healthz`)).status === 503);
      expect((await fetch(`${api.url}/api/stores`)).status, "it still serves").to.equal(200);
      expect(await stopped, api.output()).to.equal(0);
      api.start();
      await api.ready();
    }
    isOver = true;
    await load;
    const lost = answers.filter(({ status }) => status !== 200).slice(0, 5);
    const why = readFileSync(join(folder, "errors"), "utf8").slice(-3_000);
    expect(
      lost.map(({ status, text }) => `${status} ${text}`),
      why,
    ).to.deep.equal([]);
    const ids = new Set(answers.map(({ body }) => body.purchase.id));
    expect(ids.size).to.equal(answers.length);
    const database = await connect(system.databaseUrl);
    const { stored } = await database.kysely
      .selectFrom("purchases")
      .select(({ fn }) => fn.countAll().as("stored"))
      .executeTakeFirstOrThrow();
    await database.close();
    expect(Number(stored)).to.equal(answers.length);
  });
});
