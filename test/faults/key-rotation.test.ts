import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { encodeFunctionData, type Hex, keccak256, toBytes } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { connect } from "../../core/database/connect.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";
import { patiently } from "./support/patiently.ts";

/** anvil's third account deploys and so administers the contracts; the first is the operator. */
const ADMIN_INDEX = 2;
const ADMIN_OF_CONTRACTS_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const THOUSAND_CHZ = `0x${(10n ** 21n).toString(16)}`;

/** docs/runbook/key-rotation.md, step by step. */
describe("A change of the operator's key @release", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem({ environment: { DEPLOYER_PRIVATE_KEY: ADMIN_OF_CONTRACTS_KEY } });
  });
  after(() => system?.stop());

  const change = async (functionName: "grantRole" | "revokeRole", account: Hex) => {
    const from = (await system.anvil.request<string[]>("eth_accounts"))[ADMIN_INDEX];
    const { purchaseNft, cashbackDistributor } = system.deployment;
    for (const [to, role] of [
      [purchaseNft.address, "MINTER_ROLE"],
      [purchaseNft.address, "CONFIRMER_ROLE"],
      [purchaseNft.address, "CATALOGUE_ROLE"],
      [cashbackDistributor.address, "PAYER_ROLE"],
    ] as const) {
      const args = [keccak256(toBytes(role)), account] as const;
      const data = encodeFunctionData({ abi: purchaseNftAbi, functionName, args });
      const hash = await system.anvil.request<Hex>("eth_sendTransaction", { from, to, data });
      await until(`${functionName} of ${role}`, async () => {
        const receipt = await system.anvil.request<{ status: string } | null>("eth_getTransactionReceipt", hash);
        return receipt?.status === "0x1";
      });
    }
  };

  it("takes over during purchases, with transactions of the old key that every node has lost (F36)", async () => {
    const buyer = await system.shopper();
    const key = generatePrivateKey();
    const replacement = privateKeyToAccount(key);
    let isOver = false;
    let bought = 0;
    const buying = (async () => {
      while (!isOver) {
        await patiently(() => buyer.buy(1, 10 + bought));
        bought += 1;
        await delay(150);
      }
    })();
    await until("purchases are in progress", () => bought > 3);
    await system.anvil.request("anvil_setBalance", replacement.address, THOUSAND_CHZ);
    await change("grantRole", replacement.address);

    await system.anvil.request("evm_setAutomine", false);
    await system.anvil.request("evm_setIntervalMining", 0);
    await until("the old key's transactions are in the pool", async () => {
      const { pending } = await system.anvil.request<{ pending: string }>("txpool_status");
      return Number(pending) > 0;
    });
    await system.api.stop("SIGTERM");
    await system.anvil.request("anvil_dropAllTransactions");
    await system.anvil.request("evm_setAutomine", true);
    await system.anvil.request("evm_setIntervalMining", 1);
    system.environment.OPERATOR_PRIVATE_KEY = key;
    system.api.start({ OPERATOR_PRIVATE_KEY: key });
    await system.api.ready();
    await until("more is bought", () => bought > 8);
    isOver = true;
    await buying;
    await system.settled();

    const database = await connect(system.databaseUrl);
    try {
      const waiting = await until("nothing waits for a receipt", async () => {
        const rows = await database.kysely
          .selectFrom("operations")
          .select("kind")
          .where("status", "!=", "done")
          .execute();
        return rows.length === 0 && rows;
      });
      expect(waiting).to.deep.equal([]);
      const senders = await database.kysely.selectFrom("transactions").select("sender").distinct().execute();
      expect(senders.map((row) => row.sender))
        .to.include(replacement.address.toLowerCase())
        .and.have.length(2);
    } finally {
      await database.close();
    }

    const [operator] = await system.anvil.request<Hex[]>("eth_accounts");
    await change("revokeRole", operator ?? "0x");
    const doctor = await system.run("scripts/doctor.ts");
    expect(doctor.output).to.match(new RegExp(`roles.*${replacement.address}`, "i"));
    const id = await buyer.buy(1, 99);
    await system.settled();
    expect((await system.ledger()).paymentsOf(id)).to.have.length(1);
  });
});
