import { expect } from "chai";
import fc from "fast-check";
import { type DrawnTicket, drawTicket } from "../../core/chain/ticket-drawing.ts";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { isReadableName } from "../../core/rules/chain-text.ts";
import { CLUB_PATTERNS } from "../../core/rules/clubs/club.ts";
import { NO_LOOK, type TicketLook, ticketLook } from "../../core/rules/clubs/ticket-look.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { aPurchase, CENT_WEI, freshSystem, IS_COVERAGE, item, read, send } from "./support/system.ts";

const RUNS = IS_COVERAGE ? 0 : 120;
const DRAWN = ["pending", "confirmed", "paid", "cancelled", "returned"] as const;
/** Letters of every table of widths, and those between. */
const LETTERS = "WiÀßŁǄé½ºa\u0301ΩΐЩўאבﷺक़กԱԤ\u0710ᙲ–‱球한⸺ﷻ𒈙⚽ <>&\"'…";

const name = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 24 }),
    fc.string({ unit: "grapheme-composite", minLength: 1, maxLength: 24 }),
    fc.constantFrom("Loja do Timão, 1910", "Centauro Esportes & Lazer do Brasil <SA>", "W".repeat(40)),
  )
  .filter((text) => isReadableName(text) && new TextEncoder().encode(text).length <= 40);
const colour = fc.integer({ min: 0, max: 0xffffff });
const look: fc.Arbitrary<TicketLook> = fc.oneof(
  fc.constant(NO_LOOK),
  fc.record({ first: colour, second: colour, pattern: fc.integer({ min: 0, max: CLUB_PATTERNS.length }) }),
  fc.constantFrom(...BUILT_IN_CLUBS).map(ticketLook),
);

(IS_COVERAGE ? describe.skip : describe)("A ticket that is drawn off chain", () => {
  it("is what the contract draws, byte for byte: any number, store, value, percents, status and look", async () => {
    const system = await freshSystem();
    const drawnByContract = async (id: bigint): Promise<string> => {
      const metadata = (await read<string>(system.nft, "tokenURI", id)).split(",")[1] ?? "";
      const { image } = JSON.parse(Buffer.from(metadata, "base64").toString()) as { image: string };
      return Buffer.from(image.split(",")[1] ?? "", "base64").toString();
    };
    let storeId = 1;
    const ticket = fc.record({
      number: fc.oneof(fc.bigInt(0n, 2n ** 150n), fc.bigInt(0n, 100_000n)),
      store: name,
      valueCents: fc.oneof(fc.bigInt(1n, 2n ** 40n - 1n), fc.bigInt(1n, 1_000_000n)),
      baseBps: fc.integer({ min: 1, max: 5_000 }),
      bonusBps: fc.constantFrom(0, 0, 1, 50, 200, 4_321),
      drawn: fc.constantFrom(...DRAWN),
      look,
    });
    await fc.assert(
      fc.asyncProperty(ticket, async ({ number, store, valueCents, baseBps, bonusBps, drawn, look }) => {
        storeId++;
        const id = number * 1_000n + BigInt(storeId);
        await send(system.nft, "registerStore", [storeId, store], system.catalogue);
        await send(system.nft, "setStoreLook", [storeId, look.first, look.second, look.pattern], system.catalogue);
        const buyer = system.buyer.address.toLowerCase() as WalletAddress;
        await system.mint(aPurchase({ id, buyer, storeId, valueCents, baseBps, bonusBps }));
        if (drawn === "cancelled") await send(system.nft, "cancel", [[id]], system.confirmer);
        else if (drawn !== "pending") await system.confirm(id);
        if (drawn === "returned") await send(system.nft, "markReturned", [[id]], system.confirmer);
        if (drawn === "paid") await send(system.distributor, "payBatch", [[item(id, 1n)], CENT_WEI], system.payer);
        const percents = { baseBps: BigInt(baseBps), bonusBps: BigInt(bonusBps) };
        const facts: DrawnTicket = { id, storeId, store, valueCents, ...percents, buyer, drawn, look };
        expect(drawTicket(facts)).to.equal(await drawnByContract(id));
      }),
      { numRuns: RUNS },
    );
  });
});
