import { useInfiniteQuery } from "@tanstack/react-query";
import { useText } from "../i18n/language.tsx";
import { OfferList } from "./offer-list.tsx";
import { type Offer, offersQuery } from "./offers-query.ts";

type ClubOffersProps = { slug: string; busy: Offer | undefined; onBuy: (offer: Offer) => void };

/** The offers of a club's stores on its page; without any, nothing. docs/product.md#club-page */
export default function ClubOffers({ slug, busy, onBuy }: ClubOffersProps) {
  const t = useText();
  const found = useInfiniteQuery(offersQuery("", slug));
  const offers = found.data?.pages.flatMap((page) => page.offers) ?? [];
  if (offers.length === 0) return null;
  return (
    <section aria-labelledby="club-offers" className="page grid gap-3">
      <h2 id="club-offers" className="section-title">
        {t("clubPage.offers")}
      </h2>
      <OfferList offers={offers} busy={busy} onBuy={onBuy} />
      {found.hasNextPage && (
        <button type="button" className="button button-quiet" onClick={() => found.fetchNextPage()}>
          {t("stores.more")}
        </button>
      )}
    </section>
  );
}
