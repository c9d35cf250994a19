import { expect } from "chai";
import { createStoreRequestSchema } from "../../core/rules/api/catalogue.ts";
import { translations } from "../../core/rules/languages.ts";
import {
  addCashback,
  createStore,
  deleteCashback,
  deleteFanToken,
  deleteStore,
  type Outcome,
  saveFanToken,
  updateCashback,
  updateStore,
} from "../../frontend/admin/admin-calls.ts";
import { EMPTY_STORE, STORE_FIELDS } from "../../frontend/admin/stores/store-fields.ts";

const STORE = { ...EMPTY_STORE, name: "Loja", country: "Brasil" };
const CASHBACK = {
  category: "Tudo",
  ...translations({ category: "" }),
  cashback_percent: "5",
  group_code: "",
  is_default: false,
  is_by_hand: true,
  cashback_share_percent: "",
};
const TOKEN = { name: "Palmeiras", slug: "verdao", image: "https://example.com/verdao.png" };

describe("The admin panel helpers without a server", () => {
  const cases: [message: string, attempt: () => Promise<Outcome>][] = [
    ["Failed to create store", () => createStore(STORE)],
    ["Failed to update store", () => updateStore("1", STORE, { ...STORE, name: "Outra" })],
    ["Failed to delete store", () => deleteStore("1")],
    ["Failed to add cashback", () => addCashback("1", CASHBACK)],
    ["Failed to update cashback", () => updateCashback("1", "2", CASHBACK)],
    ["Failed to delete cashback", () => deleteCashback("1", "2")],
    ["Failed to create/update fan token", () => saveFanToken(TOKEN)],
    ["Failed to delete fan token", () => deleteFanToken("1")],
  ];
  for (const [message, attempt] of cases) {
    it(`never throw, and say '${message}'`, async () => {
      // There is no page here, so every request fails.
      expect(await attempt()).to.include({ success: false, message });
    });
  }
});

describe("The form of a store", () => {
  it("has each field of the api once", () => {
    const shown = [...STORE_FIELDS.map(({ name }) => name), "featured"];
    expect(shown).to.have.members(Object.keys(createStoreRequestSchema.shape));
  });
});
