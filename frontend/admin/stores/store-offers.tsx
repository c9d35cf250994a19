import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { addOffer, deleteOffer, updateOffer } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import style from "../list/admin-list.module.css";
import type { OfferRow, StoreWithCategories } from "../shapes.ts";
import { saoPauloMoment, saoPauloPeriod, t } from "../texts.ts";
import { OFFER_WORDS, wordOf } from "../words.ts";
import { OfferDialog } from "./offer-dialog.tsx";
import { adminOffersQuery } from "./queries.ts";
import storeBoostsStyle from "./store-boosts.module.css";

type Open = { kind: "add" } | { kind: "edit" | "delete"; offer: OfferRow };
type Reload = () => Promise<unknown>;

/** A store's offers, those to come and those that are over too: written here, or its network's. docs/product.md#offers */
export function StoreOffers({ store, reload }: { store: StoreWithCategories; reload: Reload }) {
  const [open, setOpen] = useState<Open>();
  const offers = useInfiniteQuery(adminOffersQuery(String(store.id)));
  const rows = offers.data?.pages.flatMap((page) => page.offers);
  return (
    <section aria-labelledby="store-offers">
      <div className="section-head">
        <h3 id="store-offers" className="card-title">
          {t("offers.title")}
        </h3>
        <PermittedButton
          permission="catalogue"
          className="button button-small"
          onClick={() => setOpen({ kind: "add" })}
        >
          {t("offers.new")}
        </PermittedButton>
      </div>
      {rows ? (
        <List offers={rows} onOpen={setOpen} />
      ) : offers.isPending ? (
        <Skeletons count={1} className="h-14" />
      ) : (
        <RetryPanel title={t("offers.failed")} query={offers} />
      )}
      {offers.hasNextPage && (
        <button
          type="button"
          className="button button-small button-quiet"
          disabled={offers.isFetchingNextPage}
          onClick={() => offers.fetchNextPage()}
        >
          {t("offers.more")}
        </button>
      )}
      {open && <Opened store={store} open={open} reload={reload} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

function List({ offers, onOpen }: { offers: readonly OfferRow[]; onOpen: (open: Open) => void }) {
  if (offers.length === 0) return <p className="muted">{t("offers.none")}</p>;
  return (
    <ul className={style.cards}>
      {offers.map((offer) => (
        <li key={offer.id}>
          <span className={storeBoostsStyle.column}>
            <StateBadge {...wordOf(OFFER_WORDS, offer.state)} />
          </span>
          <div className={style.text}>
            <h4 className="font-semibold">{offer.title}</h4>
            <p className={style.note}>{notesOf(offer).join(" · ")}</p>
          </div>
          {offer.can_delete && (
            <div className="buttons">
              {offer.network === null && (
                <PermittedButton permission="catalogue" onClick={() => onOpen({ kind: "edit", offer })}>
                  {t("edit")}
                  <span className="sr-only"> – {offer.title}</span>
                </PermittedButton>
              )}
              <PermittedButton permission="catalogue" onClick={() => onOpen({ kind: "delete", offer })}>
                {t("delete")}
                <span className="sr-only"> – {offer.title}</span>
              </PermittedButton>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function notesOf({ code, starts_at, ends_at, with_cashback, network }: OfferRow): string[] {
  return [
    ...(code === null ? [] : [t("offer.codeIs", { code })]),
    ends_at === null ? t("offer.since", { starts: saoPauloMoment(starts_at) }) : saoPauloPeriod(starts_at, ends_at),
    ...(ends_at === null ? [t("offer.noEnd")] : []),
    ...(with_cashback ? [] : [t("offer.exclusive")]),
    ...(network === null ? [] : [t("offer.fromNetwork", { network })]),
  ];
}

type OpenedProps = { store: StoreWithCategories; open: Open; reload: Reload; onClose: () => void };

function Opened({ store, open, reload, onClose }: OpenedProps) {
  if (open.kind === "delete") {
    return (
      <ConfirmDialog
        title={t("offer.delete.title", { name: open.offer.title })}
        text={t("offer.delete.text")}
        request={() => deleteOffer(open.offer.id)}
        done={t("offer.deleted")}
        failed={t("offer.deleteFailed")}
        reload={reload}
        onClose={onClose}
      />
    );
  }
  const isNew = open.kind === "add";
  return (
    <OfferDialog
      title={isNew ? t("offer.add", { name: store.name }) : t("offer.edit")}
      offer={isNew ? undefined : open.offer}
      request={(fields) => (isNew ? addOffer(String(store.id), fields) : updateOffer(open.offer.id, fields))}
      done={isNew ? t("offer.added") : t("offer.changed")}
      failed={isNew ? t("offer.addFailed") : t("offer.changeFailed")}
      reload={reload}
      onClose={onClose}
    />
  );
}
