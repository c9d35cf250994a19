import { expect } from "chai";
import { BalanceReader, NodePurse } from "../../../api/chain/balances.ts";
import type { FanTokenRow } from "../../../core/catalogue/fan-tokens.ts";
import type { ChainClient } from "../../../core/process/rpc/chain-client.ts";
import { Claimed, type EveryNode, NoAgreementError } from "../../../core/process/rpc/every-node.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { standIn } from "../../testing/stand-in.ts";

const walletOf = (index: number): WalletAddress => `0x${index.toString(16).padStart(40, "0")}`;
const TOKEN = walletOf(0xbeef);
const TOKENS = [standIn<FanTokenRow>({ contract: TOKEN })];
/** Longer than any test. */
const BLOCK_MS = 3_600_000;
/** What a purse of 25 calls a second may spend at once. */
const AT_ONCE = 100;
const HEAD = { asker: "127.0.0.1", at: { depth: 1 } } as const;
const at = (version: string) => ({ version, asker: "127.0.0.1" });
const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}` as const;

describe("Reads of wallets' balances", () => {
  let calls: string[];
  let native: bigint;
  const client = standIn<ChainClient>({
    getBalance: async () => {
      calls.push("native");
      return native;
    },
    readContract: async () => {
      calls.push("credit");
      return 0n;
    },
  });
  /** Notes what it is asked; the types of real answers are made by asking alone. */
  const everyNode = standIn<EveryNode>({
    async claimed(_asker: string, asked: readonly unknown[]) {
      calls.push(...asked.map(() => "claimed"));
      return new Claimed(asked.map(() => word(0n)));
    },
    async agreed() {
      calls.push("agreed");
      return {
        value: [word(5n), word(0n)],
        map: (follow: (value: unknown) => unknown) => follow([word(5n), word(0n)]),
      };
    },
  });
  const readerWith = (spend: (calls: number) => Promise<boolean>) =>
    new BalanceReader({ client, everyNode, purse: { spend }, distributors: [TOKEN], blockMs: BLOCK_MS });
  const count = (what: string) => calls.filter((call) => call === what).length;
  beforeEach(() => {
    calls = [];
    native = 5n;
  });

  it("are one a wallet and block, however often they are asked for", async () => {
    const reader = readerWith(async () => true);
    for (let times = 0; times < 20; times++) {
      await reader.read(walletOf(1), at("block 7"), TOKENS);
      expect(await reader.agreed(walletOf(1), TOKEN, HEAD)).to.deep.equal({ units: 5n, decimals: 0 });
    }
    expect([count("native"), count("claimed"), count("agreed")]).to.deep.equal([1, 2, 1]);
    await reader.read(walletOf(1), at("block 8"), TOKENS);
    expect(count("native")).to.equal(2);
  });

  it("show what was read last while the purse is empty, and a bonus is read later", async () => {
    let isEmpty = false;
    const reader = readerWith(async () => !isEmpty);
    await reader.read(walletOf(1), at("block 7"), TOKENS);
    isEmpty = true;
    native = 9n;
    const before = calls.length;
    expect((await reader.read(walletOf(1), at("block 8"), TOKENS))?.shown.nativeWei).to.equal(5n);
    expect(await reader.read(walletOf(2), at("block 8"), TOKENS)).to.equal(undefined);
    expect(await reader.creditOf(walletOf(2))).to.equal(undefined);
    const refusal = await reader.agreed(walletOf(2), TOKEN, HEAD).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(NoAgreementError).and.to.have.property("why", "busy");
    expect(calls.length).to.equal(before);
  });

  it("of a thousand wallets at once cost no more calls than the purse has", async () => {
    const reader = new BalanceReader({
      client,
      everyNode,
      purse: new NodePurse(25),
      distributors: [TOKEN],
      blockMs: BLOCK_MS,
    });
    const wallets = Array.from({ length: 1_000 }, (_, index) => walletOf(index + 1));
    await Promise.all(
      wallets.map(async (wallet) => {
        await reader.read(wallet, at("block 7"), TOKENS);
        await reader.agreed(wallet, TOKEN, HEAD).catch(() => undefined);
      }),
    );
    expect(calls.length).to.be.within(1, AT_ONCE);
  });
});
