import { expect } from "chai";
import { parseTransaction, recoverTransactionAddress, type TransactionSerializableEIP1559 } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { openAccount, SignerError } from "../../core/sender/account.ts";
import { type SigningService, startSigningService } from "../testing/signing-service.ts";

const KEY = generatePrivateKey();
const ADDRESS = privateKeyToAccount(KEY).address.toLowerCase() as WalletAddress;
const TRANSACTION: TransactionSerializableEIP1559 = {
  type: "eip1559",
  chainId: 88_882,
  nonce: 7,
  to: `0x${"ab".repeat(20)}`,
  data: "0x1234",
  gas: 100_000n,
  maxFeePerGas: 5_000_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
};

describe("The sender's account", function () {
  this.timeout(300_000);
  let service: SigningService;
  before(async () => {
    service = await startSigningService(KEY);
  });
  after(() => service.stop());
  const remote = () => openAccount({ kind: "service", address: ADDRESS, url: service.url });

  it("signs the same with a key of its own and with a service that holds it", async () => {
    const local = openAccount({ kind: "key", address: ADDRESS, privateKey: KEY });
    service.behave("signs");
    const raw = await remote().signTransaction(TRANSACTION);
    expect(raw).to.equal(await local.signTransaction(TRANSACTION));
    expect(parseTransaction(raw)).to.include({ nonce: 7, to: TRANSACTION.to });
    expect((await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toLowerCase()).to.equal(
      ADDRESS,
    );
  });

  for (const [field, change] of Object.entries({
    to: { to: `0x${"cd".repeat(20)}` },
    data: { data: "0x" },
    value: { value: 1n },
    gas: { gas: 99_999n },
    nonce: { nonce: 8 },
    chainId: { chainId: 88_888 },
    maxFeePerGas: { maxFeePerGas: 5_000_000_000_001n },
    accessList: { accessList: [{ address: `0x${"ab".repeat(20)}`, storageKeys: [] }] },
  } as Record<string, Partial<TransactionSerializableEIP1559>>)) {
    it(`rejects a result of the service with another ${field}`, async () => {
      service.behave((asked) => ({ ...asked, ...change }));
      const error = await remote()
        .signTransaction(TRANSACTION)
        .catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(SignerError);
      expect((error as Error).message).to.include(`signed a different ${field} than`);
    });
  }

  it("rejects another account's signature, an error, a timeout and an unavailable service", async () => {
    const other = await startSigningService(KEY, generatePrivateKey());
    const messageOf = (url: string) =>
      openAccount({ kind: "service", address: ADDRESS, url })
        .signTransaction(TRANSACTION)
        .then(
          () => "signed",
          (error: Error) => error.message,
        );
    expect(await messageOf(other.url)).to.include("signed a different account than");
    service.behave("refuses");
    expect(await messageOf(service.url)).to.include("refused: key is locked");
    service.behave("hangs");
    expect(await messageOf(service.url)).to.include("does not answer");
    await other.stop();
    expect(await messageOf(other.url))
      .to.include("does not answer")
      .and.to.include("OPERATOR_SIGNER_URL");
  });
});
