import { chzTextFromGwei, parseDecimal, reaisText } from "../../domain/money.ts";
import { CHZ_DECIMALS, DEFAULT_WEI_PER_CENT } from "../../domain/product.ts";
import { factsGwei, type NftFacts, nftFacts } from "../api/nft-facts.ts";
import type { Profile } from "../api/shapes.ts";

export type CashbackSums = {
  totalChz: string;
  pendingChz: string;
  count: number;
  confirmedCount: number;
  pendingCount: number;
};

/** The server's totals, or the sums of the tickets' attributes if it sends none. docs/product.md#cashback-totals. */
export function sumsOf(profile: Profile, weiPerCent = DEFAULT_WEI_PER_CENT): CashbackSums {
  const { totals } = profile;
  if (totals) {
    return {
      totalChz: totals.total,
      pendingChz: totals.pending,
      count: totals.count,
      confirmedCount: totals.confirmed_count,
      pendingCount: totals.pending_count,
    };
  }
  const facts = profile.nfts.map(nftFacts).filter((one) => one.status !== "cancelled");
  const pending = facts.filter((one) => one.status === "pending");
  const sum = (rows: NftFacts[]) =>
    chzTextFromGwei(rows.reduce((total, one) => total + factsGwei(one, weiPerCent), 0n));
  return {
    totalChz: sum(facts),
    pendingChz: sum(pending),
    count: facts.length,
    confirmedCount: facts.length - pending.length,
    pendingCount: pending.length,
  };
}

/** The value of CHZ in reais at a rate, decimal text. */
export function reaisOf(chzText: string, weiPerCent: string): string {
  return reaisText(parseDecimal(chzText, CHZ_DECIMALS) / BigInt(weiPerCent));
}
