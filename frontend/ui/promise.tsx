import { useQuery } from "@tanstack/react-query";
import { type ClubOfStore, tokenMatchesClub } from "../../core/rules/bonus.ts";
import { parsePercent, percentText } from "../../core/rules/money.ts";
import { promiseOf, type StorePromise } from "../../core/rules/promise.ts";
import { configQuery, fanTokensQuery } from "../api/queries.ts";
import type { FanToken, StoreCashback } from "../api/shapes.ts";
import { useClub } from "../club/club.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { balancesOf } from "../session/balances.ts";
import { useSession } from "../session/session.tsx";
import style from "./promise.module.css";

type PromisingStore = ClubOfStore & { cashbacks: readonly Pick<StoreCashback, "category" | "percent">[] };
type Choice = {
  /** Of these tokens; all of the catalogue's by default. */
  tokens?: readonly FanToken[];
  /** In this category alone; the best by default. */
  category?: string;
};

export type Promised = StorePromise<FanToken>;

/** What this reader can earn at a store. docs/product.md#promise */
export function usePromise() {
  const { profile } = useSession();
  const program = useQuery(configQuery).data.bonus_program;
  const { data: all = [] } = useQuery({ ...fanTokensQuery, enabled: profile !== undefined });
  const balances = profile && balancesOf(profile);
  return ({ club, clubToken, cashbacks }: PromisingStore, { tokens = all, category = "" }: Choice = {}) => {
    const wanted = cashbacks.filter((one) => one.category === category);
    const categories = (wanted.length > 0 ? wanted : cashbacks).map(({ percent }) => ({
      bps: parsePercent(percent),
      boostEndsAt: null,
    }));
    const held = balances && tokens.map((token) => ({ ...token, balance: balances.find(token) }));
    return promiseOf({ club, clubToken, categories }, held && { tokens: held, program });
  };
}

/** "up to 5% + 2% of your club", in two lines: the page's largest figure, and where the rest of it comes from. */
export function PromisePercent({ promise, store }: { promise: Promised; store: ClubOfStore }) {
  const t = useText();
  const { percent } = useFormat();
  const ownClub = useClub();
  const { baseBps, bonusBps, isRange, token } = promise;
  const isOwn = token && tokenMatchesClub(token, store) && tokenMatchesClub(token, { club: ownClub, clubToken: null });
  return (
    <p className={style.promise} data-promise>
      {/* Rendered even if it is empty, so that the tear lines of a row of cards align. */}
      <span className={style.label}>{isRange ? t("store.upTo") : "\u00a0"}</span>
      <span className={style.number} data-percent>
        {percent(percentText(baseBps))}
      </span>
      {token ? (
        <span className={style.label}>
          {t(isOwn ? "store.bonus.club" : "store.bonus.token", {
            percent: percent(percentText(bonusBps)),
            token: token.slug.toUpperCase(),
          })}
        </span>
      ) : (
        <span className={style.label}>{t("store.cashback")}</span>
      )}
    </p>
  );
}
