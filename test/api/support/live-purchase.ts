import type { Caller } from "./caller.ts";
import type { ApiSystem } from "./system.ts";

/** Mints a live purchase, and waits until its buyer sees the ticket. */
export async function mint(buyer: Caller, id: number): Promise<void> {
  const answer = await buyer.post("/api/mint-nft", { user: buyer.address, purchase_id: id, metadata_uri: "" });
  if (answer.status >= 300) throw new Error(answer.text);
  await buyer.seen(id, (purchase) => purchase.status === "pending");
}

/** Confirms a minted purchase as the service, and waits until its buyer sees it. */
export async function confirm(system: ApiSystem, buyer: Caller, id: number): Promise<void> {
  const answer = await system.service().post("/api/confirm-purchase", { purchase_id: id });
  if (answer.status >= 300) throw new Error(answer.text);
  await buyer.seen(id, (purchase) => purchase.status === "confirmed");
}

/** Buys, mints and confirms, so that cashback is owed. Returns the purchase's id. */
export async function buyConfirmed(system: ApiSystem, buyer: Caller, storeId = 1, amount = 100): Promise<number> {
  const id = await buyer.buy(storeId, amount);
  await mint(buyer, id);
  await confirm(system, buyer, id);
  return id;
}
