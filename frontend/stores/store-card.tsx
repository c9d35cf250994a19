import { memo, useId } from "react";
import { Link } from "react-router";
import { percentText } from "../../core/rules/money.ts";
import type { Store } from "../api/shapes.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { PromisePercent, usePromise } from "../ui/promise.tsx";
import { StoreMark } from "../ui/store-mark.tsx";
import { BoostBadge, PlainPercent } from "./boost-badge.tsx";
import { FavouriteMark } from "./favourites.tsx";
import style from "./store-card.module.css";
import { useStoreTexts } from "./store-texts.ts";

/** Rendered again only if its store changes: each letter of the search renders the page around hundreds of them. */
export const StoreCard = memo(function StoreCard({ store, onBuy }: { store: Store; onBuy: (store: Store) => void }) {
  const t = useText();
  const { brl, percent } = useFormat();
  const promise = usePromise()(store);
  const nameId = useId();
  const { country, category, description, nameOf } = useStoreTexts(store);
  return (
    <article className={`card ${style.card} ${store.isPaused ? style.paused : ""}`}>
      <div className={style.top}>
        <StoreMark store={store} />
        <PromisePercent promise={promise} store={store} />
      </div>
      <span className="perforation" aria-hidden="true" />
      <FavouriteMark store={store} />
      <h2 id={nameId} className={style.name}>
        <Link to={paths.store(store.id)}>{store.name}</Link>
      </h2>
      <ul className="tags">
        {category && <li>{category}</li>}
        <li>{country}</li>
        {store.club && <li className={style.ofClub}>{store.club}</li>}
      </ul>
      <BoostBadge store={store} />
      <p className={`muted figures ${style.worth}`}>
        {promise.isRange && `${t("store.upTo")} `}
        {t("store.perHundred", { cashback: brl(percentText(promise.totalBps)), spent: brl(100) })}
      </p>
      {description && <p className={`muted ${style.description}`}>{description}</p>}
      {store.cashbacks.length > 1 && (
        <details className="rates">
          <summary>{t("store.rates", { count: store.cashbacks.length })}</summary>
          <ul>
            {store.cashbacks.map((one) => (
              <li key={one.id || one.category}>
                <span>{nameOf(one)}</span>
                <span className="figures">
                  <PlainPercent category={one} />
                  {percent(one.percent)}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {store.isPaused ? (
        <p className="muted mt-auto">{t("reason.storePaused")}</p>
      ) : (
        <button type="button" className="button mt-auto" onClick={() => onBuy(store)}>
          {t("store.buy")}
          <span className="sr-only"> – {store.name}</span>
        </button>
      )}
    </article>
  );
});
