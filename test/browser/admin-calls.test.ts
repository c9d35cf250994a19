import { expect } from "chai";
import {
  addCashback,
  createStore,
  deleteCashback,
  deleteFanToken,
  deleteStore,
  type StoreFields,
  saveFanToken,
  updateCashback,
  updateStore,
} from "../../frontend/admin/admin-calls.ts";

const STORE: StoreFields = {
  name: "Loja",
  country: "Brasil",
  club: "",
  category: "",
  description: "",
  logo: "",
  affiliate_link: "",
  featured: false,
};
const CASHBACK = { category: "Camisas", cashback_percent: "5" };

/** Outside a browser no server can be reached, because the calls have no origin. docs/product.md#error-helpers */
describe("The admin's calls, without a server", () => {
  const calls: [string, () => Promise<{ success: boolean; message: string }>][] = [
    ["Failed to create store", () => createStore(STORE)],
    ["Failed to update store", () => updateStore("1", STORE, { ...STORE, name: "Outra" })],
    ["Failed to delete store", () => deleteStore("1")],
    ["Failed to add cashback", () => addCashback("1", CASHBACK)],
    ["Failed to update cashback", () => updateCashback("1", "2", CASHBACK)],
    ["Failed to delete cashback", () => deleteCashback("1", "2")],
    ["Failed to create/update fan token", () => saveFanToken({ name: "PSG", slug: "psg", image: "" })],
    ["Failed to delete fan token", () => deleteFanToken("1")],
  ];
  for (const [message, call] of calls) {
    it(`do not throw: ${message}`, async () => {
      expect(await call()).to.include({ success: false, message });
    });
  }
});
