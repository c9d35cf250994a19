import { expect } from "chai";
import { HOUR_MS } from "../../../core/rules/iso-time.ts";
import type { Caller } from "./caller.ts";
import type { OwnMoney, Who } from "./own-money.ts";

type Body = Record<string, unknown> | string;
/** The path after the call's own, in which `:id` and the like are filled, and what is sent. */
export type Act = { at?: Record<string, unknown>; send?: Body };
type Acts = (world: OwnMoney) => Promise<readonly Act[]> | readonly Act[];
type Row = { acts: Acts /** It is itself the second person's word. */; isSecond?: true };

export const WHO: readonly Who[] = ["caller", "buyer"];
const boost = () => ({ percent: "10", ends_at: new Date(Date.now() + HOUR_MS) });

/** The same for the caller's own sale and the buyer's. */
const both =
  (act: (world: OwnMoney, who: Who) => Promise<Act | readonly Act[]>): Acts =>
  async (world) =>
    (await Promise.all(WHO.filter((who) => world.sales.has(`low of ${who}`)).map((who) => act(world, who)))).flat();
const ofSale = async (world: OwnMoney, name: string, more: object = {}) => ({
  at: { id: await world.saleId(name) },
  send: { reason: "checked", ...(await world.seen(name)), ...more },
});
const ofStore =
  (send?: Body): Acts =>
  (world) =>
    [world.shop.storeId, world.directId].map((id) => ({ at: { id }, send }));
const together: Acts = async (world) => {
  const { groups } = (await world.caller.get("/api/admin/approvals/together")).body;
  return groups.map(({ asked_by, until, count, amount }: Record<string, unknown>) => ({
    send: { asked_by, until, count, amount, reason: "checked" },
  }));
};
const account = { network: "direct", account: "acme" };
const booking = (world: OwnMoney) => ({ amount: "4999.00", arrived_on: world.day, reference: "Pix" });
const reason = { reason: "checked" };

/**
 * Every call of the team, made about all that the caller and a buyer wait for. A call that is not in the table fails the
 * test: say here what its caller could free by it.
 */
export const STAFF_CALLS: Record<string, Row> = {
  "post /api/admin/sales/:id/release": { acts: both((world, who) => ofSale(world, `low of ${who}`)) },
  "post /api/admin/sales/:id/decline": {
    acts: both(async (world, who) => [await ofSale(world, `first of ${who}`), await ofSale(world, `low of ${who}`)]),
  },
  "post /api/admin/sales/:id/assign": {
    acts: both(async (world, who) => ofSale(world, `unmatched of ${who}`, { click_id: await world.visit(who) })),
  },
  "post /api/admin/claims/:id/match": {
    acts: both(async (world, who) => ({
      at: { id: await world.rowId("claims", who) },
      send: { sale_id: await world.saleId(`unmatched of ${who}`) },
    })),
  },
  "post /api/admin/claims/:id/refuse": {
    acts: both(async (world, who) => ({ at: { id: await world.rowId("claims", who) }, send: reason })),
  },
  "post /api/admin/fx-rates/:currency/:day/accept": {
    acts: ({ day }) => [{ at: { currency: "EUR", day }, send: reason }],
  },
  "post /api/admin/purchases/:id/hold": {
    acts: both(async (world, who) => ({ at: { id: await world.purchaseId(`approved of ${who}`) }, send: reason })),
  },
  "post /api/admin/purchases/:id/release": {
    acts: both(async (world, who) => ({ at: { id: await world.purchaseId(`held of ${who}`) }, send: reason })),
  },
  "post /api/admin/operations/:id/retry": {
    acts: both(async (world, who) => ({ at: { id: await world.payoutId(`failed of ${who}`) }, send: reason })),
  },
  "post /api/confirm-purchase": {
    acts: both(async (world, who) => ({ send: { purchase_id: await world.purchaseId(`approved of ${who}`) } })),
  },
  "post /api/distribute-cashback": {
    acts: both(async (world, who) =>
      ["5", "10", "15"].map((amount) => ({ send: { user: world.walletOf(who), amount } })),
    ),
  },
  "post /api/mint-nft": {
    acts: both(async (world, who) => ({
      send: { user: world.walletOf(who), purchase_id: await world.purchaseId(`held of ${who}`), metadata_uri: "" },
    })),
  },
  "post /api/admin/payouts": { acts: () => [{ send: { paused: false } }] },
  "post /api/admin/approvals/:id/approve": {
    acts: both(async (world, who) => ({ at: { id: await world.rowId("approvals", who) }, send: reason })),
    isSecond: true,
  },
  "post /api/admin/approvals/:id/refuse": {
    acts: both(async (world, who) => ({ at: { id: await world.rowId("approvals", who) }, send: reason })),
  },
  "post /api/admin/approvals/approve": { acts: together, isSecond: true },
  "post /api/admin/approvals/refuse": { acts: together },
  "post /api/store": {
    acts: () => [
      { send: { name: "Terceira", country: "Brasil", network: "awin", account: "br", advertiser_id: "17000" } },
      { send: { name: "Quarta", country: "Brasil", merchant: "another.example", hold_seconds: 0 } },
    ],
  },
  "put /api/store/:id": {
    acts: (world) =>
      [{ hold_seconds: 0 }, { mint_delay_seconds: 0 }, { merchant: "loja.example" }, { advertiser_id: null }].flatMap(
        (send) => [world.shop.storeId, world.directId].map((id) => ({ at: { id }, send })),
      ),
  },
  "delete /api/store/:id": { acts: ofStore() },
  "post /api/admin/suggested-stores/accept": { acts: () => [{ send: { ids: [1] } }] },
  "post /api/admin/suggested-stores/dismiss": { acts: () => [{ send: { ids: [1] } }] },
  "post /api/admin/suggested-stores/read": { acts: () => [{ send: {} }] },
  "post /api/admin/suggested-stores/withheld": { acts: () => [{ send: { network: "awin", account: "br" } }] },
  "post /api/store/:id/cashback": { acts: ofStore({ category: "Mais", cashback_percent: "9", is_default: true }) },
  "put /api/store/:id/cashback/:cashbackId": {
    acts: ({ shop, categoryId }) => [
      { at: { id: shop.storeId, cashbackId: categoryId }, send: { cashback_percent: "9.5" } },
    ],
  },
  "delete /api/store/:id/cashback/:cashbackId": {
    acts: ({ shop, categoryId }) => [{ at: { id: shop.storeId, cashbackId: categoryId } }],
  },
  "post /api/admin/stores/:id/boosts": {
    acts: ({ shop }) => [{ at: { id: shop.storeId }, send: boost() }],
  },
  "post /api/admin/boosts/:id/end": { acts: (world) => boostsOf(world) },
  "post /api/admin/boosts/:id/withdraw": {
    acts: (world) => boostsOf(world, { starts_at: new Date(Date.now() + HOUR_MS / 2) }),
  },
  "post /api/admin/stores/:id/offers": {
    acts: ({ shop }) => [{ at: { id: shop.storeId }, send: { title: "Frete grátis", code: "FRETE" } }],
  },
  "put /api/admin/offers/:id": { acts: (world) => offersOf(world, { code: "FRETE" }) },
  "delete /api/admin/offers/:id": { acts: (world) => offersOf(world) },
  "post /api/admin/percent-approvals/:id/approve": {
    acts: async (world) => [{ at: { id: await world.rowId("percent_approvals") }, send: reason }],
  },
  "post /api/admin/percent-approvals/:id/refuse": {
    acts: async (world) => [{ at: { id: await world.rowId("percent_approvals") }, send: reason }],
  },
  "post /api/admin/proposals/:id/agree": {
    acts: async (world) => [{ at: { id: await world.rowId("proposals") }, send: reason }],
  },
  "post /api/admin/proposals/:id/refuse": {
    acts: async (world) => [{ at: { id: await world.rowId("proposals") }, send: reason }],
  },
  "post /api/admin/proposals/:id/undo": {
    acts: async (world) => [{ at: { id: await world.rowId("proposals") }, send: reason }],
  },
  "post /api/admin/catalogue": {
    async acts(world) {
      const rows = (await world.other.get("/api/admin/catalogue?format=json")).body;
      const stores = rows.map((row: { type: string }) => (row.type === "store" ? { ...row, hold_seconds: 0 } : row));
      return [{ send: { format: "json", content: JSON.stringify(stores), apply: true } }];
    },
  },
  "post /api/admin/stores/:id/logo": { acts: ({ shop }) => [{ at: { id: shop.storeId }, send: "no picture" }] },
  "post /api/admin/fan-token": {
    acts: () => [
      { send: { name: "Meu", slug: "meu", image: "https://example.com/meu.png", contract: `0x${"a".repeat(40)}` } },
    ],
  },
  "delete /api/admin/fan-token/:id": { acts: () => [{ at: { id: 1 } }] },
  "post /api/admin/clubs": {
    acts: () => [
      {
        send: {
          ...{ slug: "meu", name: "Meu", aliases: "", colours: "#111111 #eeeeee", pattern: "plain", country: "BR" },
          token_slug: "psg",
        },
      },
    ],
  },
  "delete /api/admin/clubs/:slug": { acts: () => [{ at: { slug: "palmeiras" } }] },
  "post /api/admin/accounts/:network/:account/bookings": {
    acts: (world) => [{ at: account, send: booking(world) }],
  },
  "post /api/admin/accounts/:network/:account/bookings/:id/reverse": {
    acts: async (world) => [{ at: { ...account, id: await world.booked() }, send: reason }],
  },
  "post /api/admin/accounts/:network/:account/bookings/file": {
    acts: () => [
      {
        at: account,
        send: { format: "csv", content: "Data;Histórico;Valor (R$)\n27/11/2026;PIX ACME;4.000,00\n", apply: true },
      },
    ],
  },
  "post /api/admin/accounts/:network/:account/sales-days": {
    acts: ({ day }) => [account, { network: "awin", account: "br" }].map((at) => ({ at, send: { day } })),
  },
  "post /api/admin/users/:wallet/nickname": {
    acts: both(async (world, who) => ({ at: { wallet: world.walletOf(who) }, send: { nickname: "A" } })),
  },
  "post /api/admin/users/:wallet/sessions/revoke": {
    acts: async (world) => [{ at: { wallet: world.walletOf("buyer") }, send: reason }],
  },
  "post /api/admin/users/:wallet/erase": {
    acts: both(async (world, who) => ({ at: { wallet: world.walletOf(who) }, send: reason })),
  },
};

/** One of the other's. */
async function boostsOf({ shop, other }: OwnMoney, more: object = {}): Promise<Act[]> {
  const send = { ...boost(), ...more };
  const { body } = await other.post(`/api/admin/stores/${shop.storeId}/boosts`, send);
  return [{ at: { id: body.id }, send: reason }];
}

/** One of the other's. */
async function offersOf({ shop, other }: OwnMoney, send?: Act["send"]): Promise<Act[]> {
  const { body } = await other.post(`/api/admin/stores/${shop.storeId}/offers`, { title: "Frete" });
  return [{ at: { id: body.id }, ...(send && { send }) }];
}

/** The call was understood: it did what it does, waits for a second person, or is refused for what it is. */
export const UNDERSTOOD = [200, 202, 403, 409, 415];

/** Makes a call of the table, with each of its acts in turn. @throws if it was not understood */
export async function callAs(
  caller: Caller,
  call: string,
  acts: readonly Act[],
  understood: readonly number[] = UNDERSTOOD,
): Promise<void> {
  const [method = "", path = ""] = call.split(" ");
  for (const { at = {}, send } of acts) {
    const filled = path.replace(/:(\w+)/g, (_, name) => String(at[name]));
    const answer = await caller.call(method.toUpperCase(), filled, send);
    expect(understood, `${filled} ${answer.status} ${answer.text.slice(0, 300)}`).to.include(answer.status);
  }
}
