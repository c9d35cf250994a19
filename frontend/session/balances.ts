import type { TokenBalance } from "../../core/rules/bonus.ts";
import { parseDecimal } from "../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../core/rules/product.ts";
import type { Profile } from "../api/shapes.ts";

export type Balances = {
  /** The balance of a token, by its symbol, slug or id in lower case. */
  find: (token: { slug: string; symbol?: string; id?: string }) => TokenBalance;
};

/** Decimal text to units of 18 decimals; invalid text counts as zero. */
function unitsOf(balance: string): bigint {
  try {
    return parseDecimal(balance.trim(), CHZ_DECIMALS);
  } catch {
    return 0n;
  }
}

function byName(balances: ReadonlyMap<string, string>): Balances {
  return {
    find: ({ slug, symbol, id }) => {
      const key = [symbol, slug, id].map((one) => one?.toLowerCase()).find((one) => one && balances.has(one));
      return { units: key ? unitsOf(balances.get(key) ?? "0") : 0n, decimals: CHZ_DECIMALS };
    },
  };
}

/** An unknown balance earns no bonus. Lower-cased symbol to balance, plus `chz` for the native balance. docs/product.md#profile. */
export function balancesOf(profile: Profile): Balances {
  const rows = profile.tokens.map((token): [string, string] => [token.symbol.toLowerCase(), token.balance ?? "0"]);
  return byName(new Map([...rows, ["chz", profile.nativeBalance ?? "0"]]));
}

/** Only without a profile, and labelled as examples. docs/product.md#samples. */
export const SAMPLE_HOLDINGS = [
  ["chz", "10.5"],
  ["psg", "5.75"],
  ["juv", "2.3"],
] as const;
export const SAMPLE_BALANCES = byName(new Map(SAMPLE_HOLDINGS));
