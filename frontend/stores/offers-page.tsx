import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { startTransition, useState } from "react";
import { FormattedMessage } from "react-intl";
import { storeQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import style from "./offer-list.module.css";
import { OfferList } from "./offer-list.tsx";
import { type Offer, offersQuery } from "./offers-query.ts";

const BuyDialog = fetchedDialog(() => import("./buy-dialog.tsx"));

/** Codes and promotions of all stores, those that end first before the others. docs/product.md#offers */
export default function Offers() {
  const t = useText();
  const [chosen, setChosen] = useState<Offer>();
  const store = useQuery({ ...storeQuery(String(chosen?.store_id)), enabled: chosen !== undefined });
  return (
    <section className="page grid gap-4">
      <PageHeading>
        <FormattedMessage id="offers.title" />
      </PageHeading>
      <p className="lead">
        <FormattedMessage id="offers.lead" />
      </p>
      <Found busy={store.data ? undefined : chosen} onBuy={(offer) => startTransition(() => setChosen(offer))} />
      {chosen && store.isError && (
        <p className="problem" role="alert">
          {reasonOf(store.error, t)}
        </p>
      )}
      {chosen && store.data && (
        <BuyDialog
          key={chosen.id}
          store={store.data}
          {...(chosen.url && { link: chosen.url })}
          onClose={() => setChosen(undefined)}
        />
      )}
    </section>
  );
}

function Found({ busy, onBuy }: { busy: Offer | undefined; onBuy: (offer: Offer) => void }) {
  const t = useText();
  const found = useInfiniteQuery(offersQuery());
  const offers = found.data?.pages.flatMap((page) => page.offers);
  if (!offers) {
    if (found.isError) return <RetryPanel title={t("offersPage.failed")} query={found} />;
    return (
      <div className={style.offers} aria-busy="true">
        <Skeletons count={6} className="h-56" />
      </div>
    );
  }
  if (offers.length === 0) {
    return (
      <EmptyPanel title={t("offersPage.none")} hint={t("offersPage.none.hint")}>
        <LinkButton to={paths.stores}>{t("home.featured.all")}</LinkButton>
      </EmptyPanel>
    );
  }
  return (
    <>
      <OfferList offers={offers} busy={busy} onBuy={onBuy} />
      {found.isError ? (
        <RetryPanel title={t("offersPage.failed")} query={found} />
      ) : (
        found.hasNextPage && (
          <button
            type="button"
            className="button button-quiet"
            aria-busy={found.isFetching}
            onClick={() => !found.isFetching && found.fetchNextPage()}
          >
            {t("offersPage.more")}
          </button>
        )
      )}
    </>
  );
}
