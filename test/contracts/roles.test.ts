import { expect } from "chai";
import type { BaseContract, FunctionFragment } from "ethers";
import {
  aPurchase,
  ethers,
  freshSystem,
  item,
  LIMITS,
  mintArgs,
  mintBatchArgs,
  read,
  type System,
  send,
} from "./support/system.ts";

/** Who may call a function, or why it is open to anyone. */
type Rule = { role: string } | { admin: true } | { open: string };

const ADMIN_RULES: Record<string, Rule> = {
  grantRole: { admin: true },
  revokeRole: { admin: true },
  renounceRole: { open: "gives up only the caller's own role" },
  beginDefaultAdminTransfer: { admin: true },
  cancelDefaultAdminTransfer: { admin: true },
  acceptDefaultAdminTransfer: { open: "refuses all but the pending admin, after the delay" },
  changeDefaultAdminDelay: { admin: true },
  rollbackDefaultAdminDelay: { admin: true },
  pause: { role: "PAUSER_ROLE" },
  unpause: { admin: true },
};

const RULES: Record<"PurchaseNFT" | "CashbackDistributor", Record<string, Rule>> = {
  PurchaseNFT: {
    ...ADMIN_RULES,
    mint: { role: "MINTER_ROLE" },
    mintBatch: { role: "MINTER_ROLE" },
    confirm: { role: "CONFIRMER_ROLE" },
    cancel: { role: "CONFIRMER_ROLE" },
    markReturned: { role: "CONFIRMER_ROLE" },
    burn: { open: "burns only the caller's own ticket, once it is over" },
    clearMetadataUri: { admin: true },
    registerStore: { role: "CATALOGUE_ROLE" },
    renameStore: { role: "CATALOGUE_ROLE" },
    setSiteUrl: { admin: true },
    setStoreColour: { role: "CATALOGUE_ROLE" },
    setStoreLook: { role: "CATALOGUE_ROLE" },
    setDescriptor: { admin: true },
    setDistributor: { admin: true },
    recover: { role: "TREASURER_ROLE" },
    transferFrom: { open: "always reverts" },
    safeTransferFrom: { open: "always reverts" },
    approve: { open: "always reverts" },
    setApprovalForAll: { open: "always reverts" },
  },
  CashbackDistributor: {
    ...ADMIN_RULES,
    pay: { role: "PAYER_ROLE" },
    payBatch: { role: "PAYER_ROLE" },
    sweep: { role: "TREASURER_ROLE" },
    setLimits: { admin: true },
    retire: { admin: true },
    withdrawCredit: { open: "sends only the caller's own credit" },
    pushCredit: { open: "sends a credit only to whom it is due" },
    recover: { role: "TREASURER_ROLE" },
  },
};

/** Valid arguments for each function. */
async function argumentsFor(name: string, system: System, contract: BaseContract): Promise<unknown[]> {
  const someone = system.other.address;
  const token = name === "recover" ? await tokenSentTo(await contract.getAddress()) : "";
  const known: Record<string, unknown[]> = {
    grantRole: [ethers.id("X"), someone],
    revokeRole: [ethers.id("X"), someone],
    beginDefaultAdminTransfer: [someone],
    changeDefaultAdminDelay: [1],
    mint: mintArgs(aPurchase({ id: 5n, buyer: someone })),
    mintBatch: mintBatchArgs([aPurchase({ id: 5n, buyer: someone })]),
    confirm: [[1n]],
    cancel: [[1n]],
    markReturned: [[2n]],
    clearMetadataUri: [[3n]],
    setStoreLook: [1, 0xffcc00, 0x0000ff, 3],
    setDistributor: [someone],
    recover: [token, someone],
    registerStore: [2, "x"],
    renameStore: [1, "x"],
    setSiteUrl: ["https://x"],
    setStoreColour: [1, 0xffcc00],
    setDescriptor: [someone],
    pay: [2n, 1n, 1n],
    payBatch: [[item(2n, 1n)], 1n],
    sweep: [someone, 1n],
    setLimits: [LIMITS],
  };
  return known[name] ?? [];
}

/** A token of which 5 were sent to a contract. */
async function tokenSentTo(address: string): Promise<string> {
  const token: BaseContract = await ethers.deployContract("TestFanToken", ["PSG", "PSG", 0]);
  await send(token, "mint", [address, 5n]);
  return token.getAddress();
}

async function prepare(system: System, contract: BaseContract, name: string): Promise<void> {
  await system.mint(aPurchase({ id: 1n, buyer: system.buyer.address }));
  await system.confirmed(system.buyer.address, 2n);
  await system.mint(aPurchase({ id: 3n, buyer: system.buyer.address, metadataUri: "ipfs://x" }));
  if (name === "unpause") await send(contract, "pause", [], system.pauser);
}

for (const [contractName, rules] of Object.entries(RULES)) {
  describe(`Role × function: ${contractName}`, () => {
    const contractOf = (system: System) => (contractName === "PurchaseNFT" ? system.nft : system.distributor);

    it("has a rule for each state-changing function", async () => {
      const { nft, distributor } = await freshSystem();
      const contract = contractName === "PurchaseNFT" ? nft : distributor;
      const fragments = contract.interface.fragments.filter(
        (fragment) => fragment.type === "function",
      ) as FunctionFragment[];
      const changing = fragments
        .filter((f) => f.stateMutability === "nonpayable" || f.stateMutability === "payable")
        .map((f) => f.name);
      const alwaysReverting = ["setApprovalForAll"]; // `pure`, since it does nothing but revert
      expect(
        [...new Set([...changing, ...(contractName === "PurchaseNFT" ? alwaysReverting : [])])].sort(),
      ).to.deep.equal(Object.keys(rules).sort());
    });

    for (const [name, rule] of Object.entries(rules)) {
      if ("open" in rule) continue;
      const allowed = "admin" in rule ? "the admin" : rule.role;
      it(`lets ${allowed} call ${name}, and nobody else`, async () => {
        const system = await freshSystem();
        const contract = contractOf(system);
        await prepare(system, contract, name);
        const role = "admin" in rule ? ethers.ZeroHash : await read<string>(contract, rule.role);
        const args = await argumentsFor(name, system, contract);
        const { admin, minter, confirmer, catalogue, pauser, payer, treasurer, buyer, stranger } = system;
        const holders = [];
        for (const signer of [admin, minter, confirmer, catalogue, pauser, payer, treasurer, buyer, stranger]) {
          if (await read<boolean>(contract, "hasRole", role, signer.address)) holders.push(signer);
          else {
            await expect(send(contract, name, args, signer))
              .to.be.revertedWithCustomError(contract, "AccessControlUnauthorizedAccount")
              .withArgs(signer.address, role);
          }
        }
        expect(holders).to.have.length(1);
        await send(contract, name, args, holders[0]);
      });
    }

    it("hands over the administration in two steps, after the delay", async () => {
      const system = await freshSystem();
      const contract = contractOf(system);
      const { admin, other, stranger } = system;
      await expect(send(contract, "grantRole", [ethers.ZeroHash, other.address], admin)).to.be.revertedWithCustomError(
        contract,
        "AccessControlEnforcedDefaultAdminRules",
      );
      await send(contract, "beginDefaultAdminTransfer", [other.address], admin);
      const accept = (signer: typeof other) => send(contract, "acceptDefaultAdminTransfer", [], signer);
      await expect(accept(stranger)).to.be.revertedWithCustomError(contract, "AccessControlInvalidDefaultAdmin");
      await expect(accept(other)).to.be.revertedWithCustomError(contract, "AccessControlEnforcedDefaultAdminDelay");
      await ethers.provider.send("evm_increaseTime", [86_401]);
      await ethers.provider.send("evm_mine", []);
      await accept(other);
      expect(await read(contract, "defaultAdmin")).to.equal(other.address);
      await expect(send(contract, "grantRole", [ethers.id("X"), admin.address], admin)).to.be.revertedWithCustomError(
        contract,
        "AccessControlUnauthorizedAccount",
      );
    });

    it("lets no role administer itself", async () => {
      const system = await freshSystem();
      const contract = contractOf(system);
      for (const rule of Object.values(rules)) {
        if (!("role" in rule)) continue;
        const role = await read<string>(contract, rule.role);
        expect(await read(contract, "getRoleAdmin", role)).to.equal(ethers.ZeroHash);
      }
    });
  });
}
