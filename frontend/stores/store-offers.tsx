import { useInfiniteQuery } from "@tanstack/react-query";
import { useText } from "../i18n/language.tsx";
import { OfferList } from "./offer-list.tsx";
import { type Offer, offersQuery } from "./offers-query.ts";

/** A store's offers on its page; without any, nothing. docs/product.md#offers */
export default function StoreOffers({ storeId, onBuy }: { storeId: string; onBuy: (offer: Offer) => void }) {
  const t = useText();
  const found = useInfiniteQuery(offersQuery(storeId));
  const offers = found.data?.pages.flatMap((page) => page.offers) ?? [];
  if (offers.length === 0) return null;
  return (
    <section aria-labelledby="store-offers" className="grid gap-3">
      <h2 id="store-offers" className="section-title">
        {t("offersPage.ofStore")}
      </h2>
      <OfferList offers={offers} isOfStore onBuy={onBuy} />
      {found.hasNextPage && (
        <button type="button" className="button button-quiet" onClick={() => found.fetchNextPage()}>
          {t("stores.more")}
        </button>
      )}
    </section>
  );
}
