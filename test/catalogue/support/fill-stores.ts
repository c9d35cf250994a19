import { insertCategory } from "../../../core/catalogue/categories.ts";
import { insertStore } from "../../../core/catalogue/store-rows.ts";
import type { Database } from "../../../core/database/connect.ts";
import { inTransaction } from "../../../core/database/transaction.ts";

const COUNTRIES = ["Brasil", "Brasil", "Brasil", " brasil", "Portugal", "México", "Argentina"];
const CATEGORIES = ["Moda", "Eletrônicos", "Alimentação", "Café", "Livros", "Viagem", "Esporte", "Casa", "Beleza"];
const CLUBS = [null, null, "Palmeiras", "Santos", "São Paulo", "Grêmio"];

/** Stores on offer, with two categories each. */
export async function fillStores({ kysely }: Database, count: number): Promise<void> {
  const pick = <One>(list: readonly One[], at: number): One => list[at % list.length] as One;
  await inTransaction(kysely, async (queries) => {
    for (let number = 1; number <= count; number++) {
      const category = pick(CATEGORIES, Math.floor(number / 7));
      const id = await insertStore(queries, {
        name: `Armazém ${category} ${number}`,
        country: pick(COUNTRIES, number),
        category,
        club: pick(CLUBS, number * 5),
        description: `Tudo em ${category} com entrega em todo o país e troca grátis, código z${number}`,
        affiliate_link: "https://example.com/{click}",
        featured: number % 1_000 === 0,
      });
      await insertCategory(queries, id, { category: "Tudo", cashbackBps: BigInt(100 + ((number * 37) % 900)) });
      await insertCategory(queries, id, { category: "Ofertas", cashbackBps: 50n });
    }
  });
}
