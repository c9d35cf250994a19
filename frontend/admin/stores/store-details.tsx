import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { OTHER_LANGUAGES } from "../../../core/rules/languages.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { StoreMark } from "../../ui/store-mark.tsx";
import { toast } from "../../ui/toast.ts";
import { deleteStore, updateStore } from "../admin-calls.ts";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { type FactRow, Facts } from "../facts.tsx";
import { labelOf } from "../invalid-field.ts";
import adminListStyle from "../list/admin-list.module.css";
import type { StoreWithCategories } from "../shapes.ts";
import { listText, t } from "../texts.ts";
import { capitalized, inLanguage } from "../words.ts";
import { missingOf } from "./missing.ts";
import { conversionQuery, reloadCatalogue, storeDetailsQuery, testClickQuery } from "./queries.ts";
import { type StoreStep, stepsOf } from "./steps.ts";
import { StoreBoosts } from "./store-boosts.tsx";
import { CategoryDialog, type OpenCategory, StoreCategories } from "./store-categories.tsx";
import { StoreConversion } from "./store-conversion.tsx";
import style from "./store-details.module.css";
import { StoreDialog } from "./store-dialog.tsx";
import { fieldsIn, fieldsOf, MAIN_FIELDS, NETWORK_FIELDS, OFFER_FIELDS, type StoreField } from "./store-fields.ts";
import { StoreOffers } from "./store-offers.tsx";
import { StepButton, StoreSteps } from "./store-steps.tsx";
import { LogoUpload, TestClickButton } from "./store-tools.tsx";
import { useTestedLink } from "./tested-links.ts";

const DRAFT_REFRESH_MS = 10_000;

/** One store: whether it can sell, what it lacks, its data and its categories. */
export function StoreDetails({ id, onBack }: { id: string; onBack: () => void }) {
  const details = useQuery({
    ...storeDetailsQuery(id),
    // Its name is written to the chain meanwhile.
    refetchInterval: ({ state: { data } }) => (data?.is_draft ? DRAFT_REFRESH_MS : false),
  });
  const { isError, errorUpdateCount } = details;
  useEffect(() => {
    if (isError && errorUpdateCount > 0) {
      toast.error(t("error"), { id: "admin-store", description: t("store.failed") });
    }
  }, [isError, errorUpdateCount]);
  if (details.data) return <Loaded store={details.data} onBack={onBack} />;
  if (details.isPending) return <Skeletons count={4} className="h-14" />;
  return (
    <>
      <RetryPanel title={t("store.failed")} query={details} />
      <div className="flex justify-center">
        <button type="button" className="button button-small button-quiet" onClick={onBack}>
          {t("store.back")}
        </button>
      </div>
    </>
  );
}

type Opened = "edit" | "delete" | OpenCategory | { kind: "fill"; field: StoreField["name"] };

function Loaded({ store, onBack }: { store: StoreWithCategories; onBack: () => void }) {
  const client = useQueryClient();
  const [open, setOpen] = useState<Opened>();
  const close = () => setOpen(undefined);
  const filled = typeof open === "object" && open.kind === "fill" ? open.field : undefined;
  const id = String(store.id);

  const reload = () => reloadCatalogue(client, id);
  const { steps, onFollowed } = useSteps(store);
  const logo = <LogoUpload storeId={id} onDone={reload} />;
  const test = <TestClickButton storeId={id} onFollowed={onFollowed} />;
  const fill = (step: StoreStep, what: string, opened: Opened) => (
    <StepButton what={what} isNext={step === steps[0]} onClick={() => setOpen(opened)} />
  );
  const actions: Record<StoreStep, ReactNode> = {
    rate: fill("rate", t("step.what.rate"), categoryFor("rate", store)),
    link: fill("link", t("step.what.link"), { kind: "fill", field: "affiliate_link" }),
    advertiser: fill("advertiser", t("step.what.advertiser"), { kind: "fill", field: "advertiser_id" }),
    click: fill("click", t("step.what.click"), { kind: "fill", field: "affiliate_link" }),
    groups: fill("groups", t("step.what.groups"), categoryFor("groups", store)),
    logo,
    test,
    chain_name: null,
  };
  return (
    <div className="grid gap-6">
      <Head store={store} onBack={onBack} onOpen={setOpen} />
      <StoreSteps
        storeId={id}
        steps={steps}
        isReady={missingOf(store).length === 0}
        paused={store.paused}
        actionOf={(step) => actions[step]}
      />
      <StoreCategories store={store} reload={reload} />
      <StoreBoosts store={store} reload={reload} />
      <StoreOffers store={store} reload={reload} />
      <StoreConversion storeId={id} />
      <div className="buttons">
        {!steps.includes("logo") && logo}
        {!steps.includes("test") && !steps.includes("link") && test}
      </div>
      <StoreFacts store={store} />
      {typeof open === "object" && open.kind !== "fill" && (
        <CategoryDialog store={store} open={open} reload={reload} onClose={close} />
      )}
      {(open === "edit" || filled) && (
        <StoreDialog
          id={id}
          field={filled}
          title={t("store.edit")}
          action={t("saveChanges")}
          initial={fieldsOf(store)}
          request={(fields, before) => updateStore(id, before, fields)}
          done={t("store.edit.done")}
          failed={t("store.edit.failed")}
          reload={reload}
          onClose={close}
        />
      )}
      {open === "delete" && (
        <ConfirmDialog
          title={t("deleteTitle", { name: store.name })}
          text={t("store.delete.text")}
          request={() => deleteStore(id)}
          done={t("store.delete.done")}
          failed={t("store.delete.failed")}
          onDeleted={onBack}
          reload={() => reloadCatalogue(client)}
          onClose={close}
        />
      )}
    </div>
  );
}

type HeadProps = { store: StoreWithCategories; onBack: () => void; onOpen: (dialog: "edit" | "delete") => void };

function Head({ store, onBack, onOpen }: HeadProps) {
  // The list button that was clicked no longer exists.
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="section-head">
      <div className={style.logoRow}>
        <StoreMark store={{ ...store, id: String(store.id), logo: store.logo ?? "" }} />
        <h2 ref={heading} tabIndex={-1} className="section-title">
          {store.name}
        </h2>
      </div>
      <div className="buttons">
        <button type="button" className="button button-small button-quiet" onClick={onBack}>
          {t("store.back")}
        </button>
        <PermittedButton permission="catalogue" onClick={() => onOpen("edit")}>
          {t("store.edit")}
        </PermittedButton>
        <PermittedButton permission="catalogue" onClick={() => onOpen("delete")}>
          {t("store.delete")}
        </PermittedButton>
      </div>
    </div>
  );
}

/** What is left to do, beside where it is done. */
function useSteps(store: StoreWithCategories) {
  const id = String(store.id);
  const { data: link } = useQuery({ ...testClickQuery(id), enabled: !missingOf(store).includes("link") });
  const { data: months = [] } = useQuery(conversionQuery(id));
  const [isFollowed, onFollowed] = useTestedLink(link?.url);
  // Buyers have followed it since.
  const isTested = isFollowed || months.some(({ clicks }) => clicks > 0);
  return { steps: stepsOf(store, link && { carriesClick: link.carries_click, isTested }), onFollowed };
}

/** The category that a step is about: the one to change, or a new one. */
function categoryFor(step: "rate" | "groups", { cashbacks }: StoreWithCategories): OpenCategory {
  const one = step === "rate" ? cashbacks[0] : cashbacks.find((each) => !each.group_code && !each.is_default);
  return one ? { kind: "edit", cashback: one } : { kind: "add" };
}

/** In the groups of the form. */
function StoreFacts({ store }: { store: StoreWithCategories }) {
  const { percentRange } = useFormat();
  const rowsOf = (fields: readonly StoreField[]) =>
    fields.map(({ name, shown }): FactRow => [labelOf(name), shown ? shown(store) : store[name]]);
  const groups: readonly (readonly [title: string, rows: readonly FactRow[]])[] = [
    [
      t("store"),
      [
        // The name is the heading.
        ...rowsOf(MAIN_FIELDS.filter(({ name }) => name !== "name")),
        [t("cashback"), percentRange(store.cashback_min, store.cashback_max)],
        [t("store.featured"), store.featured ? t("yes") : t("no")],
      ],
    ],
    [t("store.text"), rowsOf(OFFER_FIELDS)],
    [t("store.network"), rowsOf(NETWORK_FIELDS)],
    ...OTHER_LANGUAGES.map((one) => [capitalized(inLanguage(one)), rowsOf(fieldsIn(one))] as const),
  ];
  return (
    <div className="two-columns">
      {groups.map(([title, rows]) => (
        <section key={title} className="card card-body" aria-labelledby={idOf(title)}>
          <h3 id={idOf(title)} className="card-title">
            {title}
          </h3>
          <Facts rows={rows.filter(([, value]) => !isEmpty(value))} />
          <Unset labels={rows.filter(([, value]) => isEmpty(value)).map(([label]) => label)} />
        </section>
      ))}
    </div>
  );
}

const isEmpty = (value: ReactNode) => value === undefined || value === null || value === "";

/** What the store does not have, in one line. */
function Unset({ labels }: { labels: readonly string[] }) {
  if (labels.length === 0) return null;
  return (
    <p className={`${adminListStyle.note} mt-2`}>
      {t("store.unset", { fields: listText(labels.map((label) => label.charAt(0).toLowerCase() + label.slice(1))) })}
    </p>
  );
}

const idOf = (title: string): string => `facts-${title.replaceAll(" ", "-")}`;
