import type { ChainTicket } from "./read-chain.ts";

/** The whole of value × percent × rate, in wei. */
export const owedWei = (
  { valueCents, totalBps }: Pick<ChainTicket, "valueCents" | "totalBps">,
  weiPerCent: bigint,
): bigint => (valueCents * totalBps * weiPerCent) / 10_000n;
