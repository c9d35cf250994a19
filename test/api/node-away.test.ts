import { expect } from "chai";
import { eventually } from "../testing/until.ts";
import type { Caller } from "./support/caller.ts";
import { type ApiSystem, startSystem } from "./support/system.ts";

describe("A profile while the node is away", () => {
  let system: ApiSystem;
  let users: Caller[];
  before(async () => {
    system = await startSystem();
    users = await Promise.all([system.user(), system.user(), system.user()]);
  });
  after(() => system?.stop());

  const balancesOf = async (user: Caller | undefined) => {
    const { status, body } = (await user?.get("/api/me")) ?? {};
    expect(status).to.equal(200);
    const { wallet, totals, nativeBalance, tokens, balance_reason } = body.data;
    expect(wallet).to.equal(user?.address);
    expect(totals.total).to.equal("0");
    return { nativeBalance, reason: balance_reason, tokens: tokens.map((token: { balance: string }) => token.balance) };
  };

  it("has everything but the balances, which say why, whether the node hangs or is gone", async () => {
    const [first, second, third] = users;
    const known = { nativeBalance: "0", reason: undefined, tokens: ["0", "0"] };
    // A busy machine's node may be away for a moment, too.
    await eventually(async () => expect(await balancesOf(first)).to.deep.equal(known));
    const unknown = { nativeBalance: null, reason: "CHAIN_UNAVAILABLE", tokens: [null, null] };
    process.kill(system.anvil.pid, "SIGSTOP");
    expect(await balancesOf(second)).to.deep.equal(unknown);
    process.kill(system.anvil.pid, "SIGCONT");
    await system.anvil.stop("SIGKILL");
    expect(await balancesOf(third)).to.deep.equal(unknown);
  });
});
