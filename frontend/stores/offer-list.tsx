import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useIntl } from "react-intl";
import { Link } from "react-router";
import { OFFERS_KEY } from "../api/queries.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { Icon } from "../ui/icon.tsx";
import { useCopy } from "../ui/use-copy.ts";
import style from "./offer-list.module.css";
import type { Offer } from "./offers-query.ts";
import { timeLeft } from "./time-left.ts";

/** How often the time left is written anew, at the latest. */
const TICK_MS = 30_000;
/** The day that was meant, wherever it is read. */
const SHOP_TIME = { timeZone: "America/Sao_Paulo" };

type OfferListProps = {
  offers: readonly Offer[];
  /** On the page of their store, which needs not name it. */
  isOfStore?: true;
  /** The one whose store is being fetched. */
  busy?: Offer | undefined;
  onBuy: (offer: Offer) => void;
};

/** Codes and promotions in their stores' own words, each until its minute: then it goes, and the server is asked again. docs/product.md#offers */
export function OfferList({ offers, isOfStore, busy, onBuy }: OfferListProps) {
  const t = useText();
  const now = useNow(offers);
  return (
    <>
      <ul className={style.offers}>
        {offers
          .filter(({ ends_at }) => endOf(ends_at) > now)
          .map((offer) => (
            <li key={offer.id}>
              <OfferCard offer={offer} now={now} isOfStore={isOfStore} isBusy={offer === busy} onBuy={onBuy} />
            </li>
          ))}
      </ul>
      <p className="muted text-sm">{t("offersPage.words")}</p>
    </>
  );
}

const endOf = (endsAt: string | null): number => (endsAt === null ? Number.POSITIVE_INFINITY : Date.parse(endsAt));

function useNow(offers: readonly Offer[]): number {
  const client = useQueryClient();
  const [now, setNow] = useState(Date.now);
  const next = Math.min(...offers.map(({ ends_at }) => endOf(ends_at)).filter((end) => end > now));
  useEffect(() => {
    const look = () => {
      setNow(Date.now());
      if (next <= Date.now()) void client.invalidateQueries({ queryKey: OFFERS_KEY });
    };
    const timer = setTimeout(look, Math.min(TICK_MS, Math.max(next - now, 0)));
    return () => clearTimeout(timer);
  }, [client, next, now]);
  return now;
}

type CardProps = Pick<OfferListProps, "isOfStore" | "onBuy"> & { offer: Offer; now: number; isBusy: boolean };

function OfferCard({ offer, now, isOfStore, isBusy, onBuy }: CardProps) {
  const t = useText();
  const copy = useCopy("offersPage.copied", "offersPage.notCopied");
  const { title, code, terms, store, store_id, with_cashback } = offer;
  const Title = isOfStore ? "h3" : "h2";
  return (
    <article className={`card card-body ${style.offer}`}>
      {!isOfStore && (
        <Link className="link" to={paths.store(store_id)}>
          {store}
        </Link>
      )}
      <Title className={`card-title ${style.title}`}>{title}</Title>
      {code !== null && (
        <div className={style.copy}>
          <code className={`figures font-semibold ${style.code}`}>{code}</code>
          <button type="button" className="button button-small button-quiet" onClick={() => copy(code)}>
            <Icon name="copy" />
            {t("offersPage.copy")}
            <span className="sr-only"> {code}</span>
          </button>
        </div>
      )}
      <div className={style.facts}>
        <Ends offer={offer} now={now} />
        <p className={style.fact} data-earns={with_cashback}>
          <Icon name={with_cashback ? "check" : "info"} />
          {t(with_cashback ? "offersPage.withCashback" : "offersPage.withoutCashback")}
        </p>
      </div>
      {terms && (
        <details>
          <summary>{t("offersPage.terms")}</summary>
          <p className={`muted ${style.terms}`}>{terms}</p>
        </details>
      )}
      <button
        type="button"
        className="button w-full"
        aria-busy={isBusy}
        aria-label={`${t("offersPage.buy", { store })}: ${title}`}
        onClick={() => onBuy(offer)}
      >
        {t("offersPage.buy", { store })}
      </button>
    </article>
  );
}

function Ends({ offer: { ends_at }, now }: { offer: Offer; now: number }) {
  const t = useText();
  const intl = useIntl();
  if (ends_at === null) return null;
  const end = Date.parse(ends_at);
  const left = timeLeft(end, now);
  const day = () => intl.formatDate(end - 1, { ...SHOP_TIME, weekday: "long", day: "2-digit", month: "2-digit" });
  return (
    <p className={style.fact} data-soon={left.unit === "day" ? undefined : ""}>
      <Icon name="clock" />
      {left.unit === "day"
        ? t("offersPage.until", { day: day() })
        : t(`offersPage.${left.unit}s`, { count: left.count })}
    </p>
  );
}
