import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { bonus, cappedBonus } from "../../core/rules/bonus.ts";
import { formatDecimal, parsePercent, percentText, reaisText } from "../../core/rules/money.ts";
import { CHZ_DECIMALS, SIMULATED_PURCHASE_CENTS } from "../../core/rules/product.ts";
import { configQuery, fanTokensQuery } from "../api/queries.ts";
import type { FanToken, Store } from "../api/shapes.ts";
import { balancesOf, SAMPLE_BALANCES } from "../session/balances.ts";
import { useSession } from "../session/session.tsx";
import { usePromise } from "../ui/promise.tsx";

/** The fan tokens, best first; equal ones in catalogue order. The best is chosen until the user chooses another. */
export function useTokenChoice(store: Store) {
  const tokens = useQuery({ ...fanTokensQuery, refetchOnMount: "always", staleTime: 0 });
  const [slug, setSlug] = useState<string>();
  const bonusOf = useBonusOf(store);
  const list = (tokens.data ?? []).toSorted((a, b) => Number(bonusOf(b).totalBps - bonusOf(a).totalBps));
  useEffect(() => {
    // A failure to fetch the tokens is only logged; the dialog offers a retry. docs/product.md#buy-dialog
    // biome-ignore lint/suspicious/noConsole: required by docs/product.md#buy-dialog
    if (tokens.isError) console.warn("Fan tokens could not be fetched", tokens.error.message);
  }, [tokens.isError, tokens.error]);
  return { tokens, list, token: list.find((one) => one.slug === slug) ?? list[0], choose: setSlug };
}

/** The bonus of each token for the user, or for a visitor with the sample balances. */
export function useBonusOf(store: Store) {
  const { profile } = useSession();
  const config = useQuery(configQuery).data;
  const balances = profile ? balancesOf(profile) : SAMPLE_BALANCES;
  return (token: FanToken) => {
    const held = balances.find(token);
    const { club, clubToken } = store;
    const { totalBps, ...parts } = bonus({ token, club, clubToken, balance: held }, config.bonus_program);
    return { held, ...parts, totalBps: cappedBonus(parsePercent(String(store.maxCashback)), totalBps) };
  };
}

/** What a purchase of the simulated amount earns: percent with its bonus, reais and CHZ, as decimal text. */
export function useEarnings(store: Store) {
  const promise = usePromise();
  const config = useQuery(configQuery).data;
  return (token: FanToken | undefined, category = "") => {
    const { totalBps, isRange } = promise(store, { tokens: token ? [token] : [], category });
    const cents = (SIMULATED_PURCHASE_CENTS * totalBps) / 10_000n;
    return {
      isSure: !isRange,
      percent: percentText(totalBps),
      reais: reaisText(cents),
      chz: formatDecimal(cents * BigInt(config.wei_per_cent), CHZ_DECIMALS),
    };
  };
}
