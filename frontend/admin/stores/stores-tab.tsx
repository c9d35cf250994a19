import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { adminStoreSchema } from "../../../core/rules/api/admin-catalogue.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { StoreMark } from "../../ui/store-mark.tsx";
import { createStore, deleteStore } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import adminListStyle from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { useListAddress, viewHref } from "../list/list-address.ts";
import type { ListedStore } from "../shapes.ts";
import { Tabs } from "../tabs.tsx";
import { t, textOf } from "../texts.ts";
import { optionsOf, STORE_WORDS, wordOf } from "../words.ts";
import { CatalogueFile } from "./catalogue-file.tsx";
import { reloadCatalogue } from "./queries.ts";
import { ConversionLine } from "./store-conversion.tsx";
import { StoreDetails } from "./store-details.tsx";
import { StoreDialog } from "./store-dialog.tsx";
import { pausedText } from "./store-steps.tsx";
import style from "./stores-tab.module.css";
import { SuggestedStores, USUAL_STATE } from "./suggested-stores.tsx";

const SUGGESTED = "suggested";

/** A list, and the details of the store in the URL. Returning to the list clears the selection. */
export function StoresTab() {
  const { row: selectedId, closeRow } = useListAddress();
  const navigate = useNavigate();
  const isSuggested = useSearchParams()[0].get("view") === SUGGESTED;
  const [isBack, setBack] = useState(false);
  const list = { id: "list", label: t("stores.list") } as const;
  const suggested = { id: SUGGESTED, label: t("suggested.tab") } as const;
  const details = { id: "details", label: t("stores.details") } as const;
  const backToList = (isByButton: boolean) => {
    setBack(isByButton);
    closeRow();
  };
  return (
    <Tabs
      label={t("tab.stores")}
      tabs={[list, suggested, ...(selectedId ? [details] : [])]}
      selected={selectedId ? "details" : isSuggested ? SUGGESTED : "list"}
      onSelect={(id) => {
        if (id === SUGGESTED) navigate(viewHref({ tab: "stores", view: SUGGESTED }, { state: USUAL_STATE }));
        else if (id === "list" && isSuggested) navigate(viewHref({ tab: "stores" }));
        else if (id === "list") backToList(false);
      }}
    >
      {isSuggested && !selectedId ? (
        <SuggestedStores />
      ) : selectedId ? (
        <StoreDetails key={selectedId} id={selectedId} onBack={() => backToList(true)} />
      ) : (
        <StoreList takesFocus={isBack} />
      )}
    </Tabs>
  );
}

/** `takesFocus`: after returning by a button that no longer exists. */
function StoreList({ takesFocus }: { takesFocus: boolean }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { rowHref } = useListAddress();
  const [isCreating, setCreating] = useState(false);
  const created = useRef<string>(undefined);
  const [deleting, setDeleting] = useState<ListedStore>();
  const list = useStoresList(setDeleting);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  const reload = () => reloadCatalogue(client);
  return (
    <>
      <div className="section-head">
        <h2 ref={heading} tabIndex={-1} className="section-title">
          {t("tab.stores")}
        </h2>
        <PermittedButton permission="catalogue" className="button" onClick={() => setCreating(true)}>
          {t("stores.new")}
        </PermittedButton>
      </div>
      <AdminList list={list} actions={<CatalogueFile />} />
      {isCreating && (
        <StoreDialog
          title={t("stores.new")}
          action={t("stores.create")}
          request={async (fields) => {
            const outcome = await createStore(fields);
            created.current = outcome.id;
            return outcome;
          }}
          done={t("stores.create.done")}
          failed={t("stores.create.failed")}
          reload={reload}
          onClose={() => {
            setCreating(false);
            // Its page says what it still lacks to sell, and has the buttons for it.
            if (created.current) navigate(rowHref(created.current), { preventScrollReset: true });
          }}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={t("deleteTitle", { name: deleting.name })}
          text={t("store.delete.text")}
          request={() => deleteStore(String(deleting.id))}
          done={t("store.delete.done")}
          failed={t("store.delete.failed")}
          reload={reload}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

function useStoresList(onDelete: (store: ListedStore) => void): ListDefinition<ListedStore> {
  const { row: _, ...address } = useListAddress();
  return {
    path: "/api/admin/stores",
    row: adminStoreSchema,
    title: t("tab.stores"),
    noun: "store",
    search: t("stores.search"),
    states: optionsOf(STORE_WORDS),
    waiting: ({ draft_stores }) => ({ draft: draft_stores }),
    sorts: [
      { value: "-id", label: t("stores.newest") },
      { value: "id", label: t("stores.oldest") },
      { value: "name", label: t("name") },
    ],
    failure: { title: t("stores.failed"), toastId: "admin-stores" },
    keyOf: (row) => String(row.id),
    nameOf: (row) => row.name,
    columns: [],
    card: (row) => <StoreCard store={row} href={address.rowHref(String(row.id))} onDelete={() => onDelete(row)} />,
    empty: { title: t("stores.none"), hint: t("stores.none.hint") },
  };
}

function StoreCard({ store, href, onDelete }: { store: ListedStore; href: string; onDelete: () => void }) {
  const { percent } = useFormat();
  const openDetails = useOpen(href);
  return (
    <>
      <StoreMark store={{ ...store, id: String(store.id), logo: store.logo ?? "" }} />
      <div className={adminListStyle.text}>
        <h3>{store.name}</h3>
        <p className="muted">{[store.country, store.category, store.club].filter(Boolean).join(" · ")}</p>
        {store.state === "ready" && <ConversionLine conversion={store.conversion} />}
        {store.paused && <p className={adminListStyle.note}>{pausedText(store.paused)}</p>}
        {store.missing.map((lack) => (
          <p key={lack} className={adminListStyle.note}>
            {textOf("step.lacks", lack) ?? lack}
          </p>
        ))}
      </div>
      <span className={style.column}>
        <StateBadge {...wordOf(STORE_WORDS, store.paused && store.state === "ready" ? "paused" : store.state)} />
      </span>
      <span className={`${style.column} figures font-semibold`}>
        {t("stores.upTo", { percent: percent(store.cashback_max) })}
      </span>
      <div className="buttons">
        <button type="button" className="button button-small button-quiet" data-row="" onClick={openDetails}>
          {t("stores.open")}
          <span className="sr-only"> – {store.name}</span>
        </button>
        <PermittedButton permission="catalogue" onClick={onDelete}>
          {t("delete")}
          <span className="sr-only"> – {store.name}</span>
        </PermittedButton>
      </div>
    </>
  );
}

function useOpen(href: string): () => void {
  const navigate = useNavigate();
  return () => navigate(href, { preventScrollReset: true });
}
