import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { nameReader } from "../../core/catalogue/chain-names.ts";
import { updateStore } from "../../core/catalogue/store-rows.ts";
import { connect } from "../../core/database/connect.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

describe("A store with a different name on chain @release", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem({ withoutIndexer: true, environment: { RECONCILE_INTERVAL_SECONDS: "1" } });
  });
  after(() => system?.stop());

  it("is reported by the doctor, and renamed by the api that sends (F46)", async () => {
    const client = createPublicClient({ transport: http(system.anvil.rpcUrl) });
    const { purchaseNft, cashbackDistributor } = system.deployment;
    const lower = (address: string) => address.toLowerCase() as `0x${string}`;
    const readName = nameReader(client, {
      purchaseNft: lower(purchaseNft.address),
      cashbackDistributor: lower(cashbackDistributor.address),
    });
    await until("the api sends", async () => (await fetch(`${system.url}/api`)).ok);
    await system.api.stop("SIGKILL");
    const database = await connect(system.databaseUrl);
    try {
      await updateStore(database.kysely, 3n, { name: "Loja com outro nome" });
    } finally {
      await database.close();
    }
    const sick = await system.run("scripts/doctor.ts");
    expect(sick.output).to.match(/✗ store names: .*store 3: Mercado da Bola, not Loja com outro nome/);
    expect(sick.code).to.equal(1);
    system.api.start();
    await until("the chain has the name", async () => (await readName(3n)) === "Loja com outro nome");
    const well = await system.run("scripts/doctor.ts");
    expect(well.output).to.include("✓ store names: ");
  });
});
