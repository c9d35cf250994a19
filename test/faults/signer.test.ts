import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { type SigningService, startSigningService } from "../testing/signing-service.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

/** anvil's first account, which holds every role on the local chain. */
const OPERATOR_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

describe("A service that signs for the operator @release", function () {
  this.timeout(300_000);
  let service: SigningService;
  let system: FaultSystem;
  before(async () => {
    service = await startSigningService(OPERATOR_KEY);
    const environment = { OPERATOR_SIGNER_URL: service.url, OPERATOR_ADDRESS: service.address };
    system = await startFaultSystem({ environment });
  });
  after(async () => {
    await system?.stop();
    await service?.stop();
  });

  it("signs mints, confirmations and payments", async () => {
    const shopper = await system.shopper();
    const id = await shopper.buy(1, 100);
    await shopper.paid([id]);
    expect(service.signed()).to.be.greaterThan(2);
  });

  it("delays payouts while it is unavailable or signs something else, and loses none", async () => {
    const shopper = await system.shopper();
    for (const behaviour of [
      "hangs",
      "refuses",
      (asked: object) => ({ ...asked, to: `0x${"99".repeat(20)}` }),
    ] as const) {
      service.behave(behaviour as Parameters<SigningService["behave"]>[0]);
      const id = await shopper.buy(1, 10);
      await until("the sender says what it waits for", async () => {
        const { body } = await shopper.call("GET", "/readyz");
        return JSON.stringify(body).includes("The signer");
      });
      service.behave("signs");
      await shopper.paid([id]);
    }
    const { differences } = await system.judge();
    expect(differences).to.deep.equal([]);
  });

  it("does not start with two signers, or with a key file that others may read", async () => {
    const both = await system.run("api/main.ts", [], { OPERATOR_PRIVATE_KEY: generatePrivateKey() });
    expect(both.code).to.equal(1);
    expect(both.output).to.include("OPERATOR_SIGNER_URL must not be set together with OPERATOR_PRIVATE_KEY");
  });
});
