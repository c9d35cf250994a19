import { useQuery } from "@tanstack/react-query";
import { HOLDING_TIERS, type TokenBalance, tokenMatchesClub } from "../../core/rules/bonus.ts";
import { formatDecimal, percentText } from "../../core/rules/money.ts";
import { configQuery, fanTokensQuery } from "../api/queries.ts";
import type { Profile } from "../api/shapes.ts";
import { useClub } from "../club/club.ts";
import { balancesOf } from "../session/balances.ts";
import { tierProgress } from "./tier-progress.ts";

export type BestToken = {
  symbol: string;
  held: TokenBalance;
  /** How many tiers are above the one reached: 0 at the top, all of them below the lowest. */
  tiersAbove: number;
  /** Tokens up to the next tier, decimal text; undefined at the top. */
  missing: string | undefined;
  nextPercent: string;
};

/**
 * The user's place among the tiers of docs/product.md#tier-badge, for the token of their club, otherwise for the one
 * they hold most of. Undefined without a token that has a contract, and in the program `tiers`, whose silver tier depends on the store.
 */
export function useBestToken(profile: Profile): BestToken | undefined {
  const program = useQuery(configQuery).data.bonus_program;
  const { data: known = [] } = useQuery(fanTokensQuery);
  const club = useClub();
  if (program === "tiers") return undefined;
  const balances = balancesOf(profile);
  const best = known
    .filter(({ contract }) => contract !== "")
    .map((token) => {
      const held = balances.find(token);
      return {
        token,
        held,
        isClubs: Boolean(club) && tokenMatchesClub(token, { club, clubToken: null }),
        way: wholeOf(held),
      };
    })
    .filter(({ held }) => held.units > 0n)
    .reduce<Candidate | undefined>((one, other) => (one && !isBetter(other, one) ? one : other), undefined);
  if (!best) return undefined;
  const { reached, next } = tierProgress(best.held, program);
  return {
    symbol: best.token.symbol,
    held: best.held,
    tiersAbove: reached ? HOLDING_TIERS.findIndex(({ name }) => name === reached.name) : HOLDING_TIERS.length,
    missing: next && "missing" in next ? formatDecimal(next.missing, best.held.decimals) : undefined,
    nextPercent: next ? percentText(next.bonusBps) : "0",
  };
}

type Candidate = { token: { symbol: string }; held: TokenBalance; isClubs: boolean; way: number };

const isBetter = (one: Candidate, other: Candidate): boolean =>
  one.isClubs === other.isClubs ? one.way > other.way : one.isClubs;

const wholeOf = ({ units, decimals }: TokenBalance): number => Number(formatDecimal(units, decimals));
