import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { connect } from "../../core/database/connect.ts";
import type { KeyName } from "../../core/process/signing-keys.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";
import { patiently } from "./support/patiently.ts";
import type { Supervised } from "./support/supervised.ts";

const OWN = ["minter", "confirmer", "payer"] as const satisfies KeyName[];
/** Anvil's first account. */
const OPERATOR = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

describe("Separate keys @release", function () {
  this.timeout(300_000);
  const keys = OWN.map((name) => ({ name, key: generatePrivateKey() })).map(({ name, key }) => {
    return { name, key, address: privateKeyToAccount(key).address };
  });
  const addresses = Object.fromEntries(keys.map(({ name, address }) => [`${name.toUpperCase()}_ADDRESS`, address]));
  let system: FaultSystem;
  const signers = new Map<KeyName, Supervised>();

  before(async () => {
    // The operator's process: plans, registers store names, and has none of the other keys.
    system = await startFaultSystem({
      environment: { ...addresses, SENDER_KEYS: "operator", RECONCILE_INTERVAL_SECONDS: "2" },
    });
    for (const { name, key } of keys) {
      const own = { SENDER_KEYS: name, [`${name.toUpperCase()}_PRIVATE_KEY`]: key };
      signers.set(name, await system.anotherApi(own));
    }
  });
  after(() => system?.stop());

  const kindsBySender = async () => {
    const database = await connect(system.databaseUrl);
    try {
      const rows = await database.kysely
        .selectFrom("operations")
        .innerJoin("transactions", "transactions.id", "operations.transaction_id")
        .select(["operations.kind", "transactions.sender"])
        .distinct()
        .execute();
      return new Set(rows.map(({ kind, sender }) => `${kind} ${sender}`));
    } finally {
      await database.close();
    }
  };
  const payoutsOf = async (id: number) => (await system.ledger()).paymentsOf(id).length;
  const leases = async () => {
    const database = await connect(system.databaseUrl);
    try {
      const rows = await database.kysely.selectFrom("leases").select("name").where("name", "like", "sender%").execute();
      return rows.map(({ name }) => name).sort();
    } finally {
      await database.close();
    }
  };

  it("mint, confirm and pay each with their own wallet, under their own lease", async () => {
    const buyer = await system.shopper();
    const id = await buyer.buy(1, 100);
    await system.settled();
    expect(await payoutsOf(id)).to.equal(1);
    const [minter, confirmer, payer] = keys.map(({ address }) => address.toLowerCase());
    const seen = await kindsBySender();
    expect(seen).to.include(`mint ${minter}`).and.include(`confirm ${confirmer}`).and.include(`pay ${payer}`);
    expect([...seen].filter((one) => !one.includes("_store") && one.includes(OPERATOR))).to.deep.equal([]);
    expect(await leases()).to.deep.equal(["sender", "sender:confirmer", "sender:minter", "sender:payer"]);
  });

  it("continue without a killed one, and nothing is lost or duplicated when it is back", async () => {
    const buyer = await system.shopper();
    const before = await buyer.buy(1, 200);
    await system.inStatus(before, "Pending");
    const minter = signers.get("minter");
    await minter?.stop("SIGKILL");
    const later = [await patiently(() => buyer.buy(1, 300)), await patiently(() => buyer.buy(1, 400))];
    await until("what was minted is paid without the minter", async () => (await payoutsOf(before)) === 1);
    for (const id of later) expect(await payoutsOf(id), `purchase ${id}`).to.equal(0);
    minter?.start();
    await minter?.ready();
    await signers.get("payer")?.stop("SIGKILL");
    for (const id of later) await system.inStatus(id, "Confirmed");
    for (const id of later) expect(await payoutsOf(id), `purchase ${id}`).to.equal(0);
    signers.get("payer")?.start();
    await system.settled();
    for (const id of later) expect(await payoutsOf(id), `purchase ${id}`).to.equal(1);
  });

  it("account for every nonce: sibling keys are known, another program with one of the keys is not", async () => {
    const { code, output } = await system.run("scripts/reconcile.ts", ["--full"], {
      SENDER_KEYS: "none",
      OPERATOR_ADDRESS: OPERATOR,
    });
    expect(code, output).to.equal(0);
    expect(output).to.include("Database and chain agree").and.not.include("Another program");
    const payer = privateKeyToAccount(keys[2]?.key ?? "0x");
    const client = createPublicClient({ transport: http(system.anvil.rpcUrl) });
    const transaction = await payer.signTransaction({
      type: "eip1559",
      chainId: 88_882,
      to: OPERATOR,
      value: 1n,
      gas: 21_000n,
      nonce: await client.getTransactionCount({ address: payer.address }),
      maxFeePerGas: 10n ** 13n,
      maxPriorityFeePerGas: 1n,
    });
    const hash = await client.sendRawTransaction({ serializedTransaction: transaction });
    await until("the stranger is seen", async () => {
      const { warnings } = (await (await fetch(`${system.url}/readyz`)).json()) as { warnings: string[] };
      return warnings.some((one) => one.includes("of the payer's key") && one.includes(hash));
    });
    const buyer = await system.shopper();
    const id = await buyer.buy(1, 500);
    await system.settled();
    expect(await payoutsOf(id)).to.equal(1);
  });

  it("are each examined by doctor: role, wallet and lease", async () => {
    const { output } = await system.run("scripts/doctor.ts", [], { SENDER_KEYS: "none", OPERATOR_ADDRESS: OPERATOR });
    for (const { name, address } of keys) {
      const role = `${name.toUpperCase()}_ROLE`;
      expect(output).to.include(`✓ roles: ${name} ${address} has ${role}`);
      expect(output).to.match(new RegExp(`^✓ ${name}'s wallet: 99\\d{4}`, "m"));
      expect(output).to.match(new RegExp(`^✓ sender:${name}: is `, "m"));
    }
  });
});
