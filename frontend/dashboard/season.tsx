import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { PROFILE_LIMIT } from "../../core/rules/product.ts";
import { CASHBACK_STATES } from "../../core/rules/purchase/life.ts";
import { FIGURES, type Figure } from "../../core/rules/purchase/situation.ts";
import { keysOf } from "../../core/rules/records.ts";
import { getAllPurchases } from "../api/calls.ts";
import { knownOf } from "../api/heard.ts";
import { configQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { Profile, PurchaseRecord } from "../api/shapes.ts";
import { paths } from "../app/paths.ts";
import { useTickets } from "../chain/use-tickets.ts";
import { useLanguage, useText, withLaterTexts } from "../i18n/language.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { SelectField } from "../ui/select-field.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { CashbackHistory } from "./cashback-history.tsx";
import { olderPurchasesQuery } from "./queries.ts";
import {
  drawnFrom,
  ENTRY_STATUSES,
  type Entry,
  entriesOf,
  type Filter,
  filterLines,
  type Line,
  linesOf,
  PERIODS,
} from "./statement.ts";
import { EntryTicket, Months } from "./statement-lines.tsx";

/** Its texts and its code are for few words: a phone reads them after it has drawn the page. */
const ChainCheck = lazy(async () => {
  await drawn();
  return withLaterTexts(() => import("./chain-check.tsx"), "check");
});

/** The page was drawn, and the browser has nothing else to do, as far as it says so. */
const drawn = (): Promise<unknown> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => (window.requestIdleCallback ?? setTimeout)(resolve));
  });

/** A simulated purchase is reported at once, so that no visit waits. */
const OpenVisits = lazy(() => import("./open-visits.tsx"));

const PAGE = 12;
/** With more purchases, the statement is easier to read than their pictures. */
const GRID = 12;
const PHONE_GRID = 4;
/** So many lines are read without filters. */
const FEW = 3;
const NFT_SKELETONS = 3;

/** The latest ticket large, all others as tickets or as a dated statement. docs/product.md#tickets. */
export function Season({ profile, isRefreshing }: { profile: Profile; isRefreshing: boolean }) {
  const t = useText();
  const { entries: said, hasOlder, isLoadingOlder, isOlderAway, loadOlder, readAll } = useEntries(profile);
  const figure = useSearchParams()[0].get("figure");
  const { simulated } = useQuery(configQuery).data;
  const [shown, setShown] = useState(PAGE);
  const { entries, ...chain } = useDrawn(said, { shown, profile });
  const [latest, ...others] = entries;
  return (
    <section aria-labelledby="tickets">
      <div className="section-head">
        <h2 id="tickets" className="section-title">
          {t("dashboard.tickets")}
        </h2>
        <div className="section-actions">
          <Link className="link" to={paths.visits}>
            {t("dashboard.visits")}
          </Link>
          <LinkButton className="button button-quiet" to={paths.stores}>
            {t("dashboard.toStores")}
          </LinkButton>
        </div>
      </div>
      {!simulated && (
        <Suspense>
          <OpenVisits wallet={profile.wallet} />
        </Suspense>
      )}
      {chain.shown.length > 0 && (
        <div className="chain-check-room">
          <Suspense>
            <ChainCheck wallet={profile.wallet} {...chain} />
          </Suspense>
        </div>
      )}
      {isRefreshing ? (
        <div className="ticket-grid" aria-busy="true">
          <Skeletons count={NFT_SKELETONS} className="h-56" />
        </div>
      ) : !latest ? (
        <EmptyPanel title={t("dashboard.empty")} hint={t("dashboard.empty.hint")}>
          <LinkButton to={paths.stores}>{t("dashboard.explore")}</LinkButton>
        </EmptyPanel>
      ) : (
        <>
          {/* What lies in a figure stands alone, where its link leads. */}
          {!figure && (
            <div className="season-top">
              <div className="ticket-grid latest-ticket">
                <EntryTicket entry={latest} />
              </div>
              <CashbackHistory purchases={profile.purchases} />
            </div>
          )}
          {(others.length > 0 || profile.reviews.length > 0 || profile.debts.length > 0 || figure) && (
            <Statement
              profile={profile}
              entries={figure ? entries : others}
              figure={figure}
              shown={shown}
              setShown={setShown}
              hasOlder={hasOlder}
              isLoadingOlder={isLoadingOlder}
              isOlderAway={isOlderAway}
              loadOlder={loadOlder}
              readAll={readAll}
            />
          )}
        </>
      )}
    </section>
  );
}

/** The entries, those on screen with what the chain says of their tickets, and what of it is compared. */
function useDrawn(said: readonly Entry[], { shown, profile }: { shown: number; profile: Profile }) {
  const onScreen = useMemo(
    () => said.slice(0, shown + 1).flatMap(({ nft, purchase }) => (nft ? [{ nft, isPaid: isSaidPaid(purchase) }] : [])),
    [said, shown],
  );
  const count = profile.nfts.length < PROFILE_LIMIT ? profile.nfts.length : undefined;
  const learned = useMemo(
    () => JSON.stringify([count, onScreen.map(({ nft, isPaid }) => [nft.metadata.attributes, isPaid])]),
    [count, onScreen],
  );
  const tickets = useMemo(() => onScreen.map(({ nft }) => nft), [onScreen]);
  const read = useTickets(tickets, { learned });
  const { recordOf, isLate } = read;
  const entries = useMemo(
    () =>
      said.map((entry, index) => (entry.nft && index <= shown ? drawnFrom(entry, recordOf(entry.nft), isLate) : entry)),
    [said, shown, recordOf, isLate],
  );
  return { entries, shown: onScreen, count, learned, read };
}

/** A credit that its wallet refused is paid, too, as the contract counts; undefined where nothing is said. */
function isSaidPaid(purchase: PurchaseRecord | undefined): boolean | undefined {
  const state = purchase && knownOf(CASHBACK_STATES, purchase.cashback_state);
  return state && state !== "unpaid";
}

/** The profile's purchases, plus the older ones loaded so far. */
function useEntries(profile: Profile) {
  const { wei_per_cent } = useQuery(configQuery).data;
  const last = profile.purchases.at(-1)?.id;
  const [wantsOlder, setWantsOlder] = useState(false);
  const isCut = profile.purchases.length >= PROFILE_LIMIT;
  const older = useInfiniteQuery({ ...olderPurchasesQuery(profile.wallet, last), enabled: wantsOlder && isCut });
  const pages = older.data?.pages;
  const entries = useMemo(
    () => entriesOf(profile, pages?.flatMap((page) => page.purchases) ?? [], BigInt(wei_per_cent)),
    [profile, pages, wei_per_cent],
  );
  return {
    entries,
    hasOlder: isCut && (!pages || older.hasNextPage),
    isLoadingOlder: older.isFetching,
    isOlderAway: older.isError && !older.isFetching,
    loadOlder: () => {
      if (!wantsOlder) setWantsOlder(true);
      else if (pages) older.fetchNextPage();
      else older.refetch();
    },
    readAll: async () =>
      isCut ? entriesOf({ ...profile, purchases: [] }, await getAllPurchases(), BigInt(wei_per_cent)) : entries,
  };
}

type StatementProps = {
  profile: Profile;
  /** Shows only what lies in it. */
  figure: string | null;
  shown: number;
  setShown: (shown: number) => void;
  entries: Entry[];
  hasOlder: boolean;
  isLoadingOlder: boolean;
  /** Older entries could not be loaded. */
  isOlderAway: boolean;
  loadOlder: () => void;
  /** Every purchase, the latest one too. */
  readAll: () => Promise<Entry[]>;
};

function Statement({
  profile,
  figure,
  shown,
  setShown,
  entries,
  hasOlder,
  isLoadingOlder,
  isOlderAway,
  loadOlder,
  readAll,
}: StatementProps) {
  const t = useText();
  const navigate = useNavigate();
  const [chosen, setFilter] = useState<Filter>({});
  const filter = useMemo(() => ({ ...chosen, figure }), [chosen, figure]);
  const lines = useMemo(() => linesOf(entries, profile), [entries, profile]);
  const found = useMemo(() => filterLines(lines, filter), [lines, filter]);
  const [look, setLook] = useState<Look>();
  const most = useIsPhone() ? PHONE_GRID : GRID;
  const isGrid = look ? look === "grid" : !figure && !hasOlder && entries.length <= most;
  const clear = () => {
    setFilter({});
    if (figure) navigate({ search: "", hash: "#tickets" });
  };
  // Filters apply to all purchases: older ones are loaded until there are enough to show.
  const isSearching = Object.values(filter).some(Boolean) && hasOlder && !isOlderAway && found.length < shown;
  useEffect(() => {
    if (isSearching && !isLoadingOlder) loadOlder();
  });
  const choose = (change: Filter) => {
    setFilter({ ...chosen, ...change });
    setShown(PAGE);
  };
  const more = () => {
    setShown(shown + PAGE);
    if (hasOlder && shown + PAGE >= found.length) loadOlder();
  };
  return (
    <section aria-labelledby="statement" className="grid gap-3 statement">
      <div className="section-head">
        <h3 id="statement" className="subtitle">
          {t("statement.title")}
        </h3>
        <LookSwitch look={isGrid ? "grid" : "list"} choose={setLook} />
      </div>
      {(hasOlder || lines.length > FEW) && <Filters entries={entries} filter={chosen} choose={choose} />}
      {figure && isFigure(figure) && (
        <p className="statement-figure">
          {t("statement.figure", { figure: t(`figures.${figure}`) })}{" "}
          <button type="button" className="link" onClick={clear}>
            {t("statement.figure.all")}
          </button>
        </p>
      )}
      <div className="section-head">
        <p role="status" className="muted">
          {isSearching ? t("statement.searching") : t("statement.count", { count: found.length })}
        </p>
        <ExportButton readFound={async () => filterLines(linesOf(await readAll(), profile), filter)} />
      </div>
      {found.length === 0 && !isSearching && (
        <p className="muted">
          {t("statement.none")}{" "}
          <button type="button" className="link" onClick={clear}>
            {t("stores.clear")}
          </button>
        </p>
      )}
      {isGrid ? <Grid lines={found.slice(0, shown)} /> : <Months lines={found.slice(0, shown)} />}
      {isOlderAway && (
        <p role="alert" className="problem">
          {t("statement.olderAway")}
        </p>
      )}
      {(found.length > shown || hasOlder) && (
        <button type="button" className="button button-quiet" disabled={isLoadingOlder} onClick={more}>
          {t(isLoadingOlder ? "common.loading" : "statement.more")}
        </button>
      )}
    </section>
  );
}

type Look = "grid" | "list";

function LookSwitch({ look, choose }: { look: Look; choose: (look: Look) => void }) {
  const t = useText();
  return (
    <fieldset className="look-switch">
      <legend className="sr-only">{t("statement.look")}</legend>
      {(["grid", "list"] as const).map((one) => (
        <button key={one} type="button" aria-pressed={one === look} onClick={() => choose(one)}>
          {t(`statement.look.${one}`)}
        </button>
      ))}
    </fieldset>
  );
}

/** Purchases as tickets with their pictures, then what has none: debts, and sales in review. */
function Grid({ lines }: { lines: readonly Line[] }) {
  return (
    <>
      <div className="ticket-grid">
        {lines.map((line) => line.kind === "purchase" && <EntryTicket key={line.id} entry={line.entry} />)}
      </div>
      <Months lines={lines.filter(({ kind }) => kind !== "purchase")} />
    </>
  );
}

function isFigure(text: string): text is Figure {
  return FIGURES.some((figure) => figure === text);
}

function ExportButton({ readFound }: { readFound: () => Promise<Line[]> }) {
  const t = useText();
  const { language } = useLanguage();
  const [isExporting, setExporting] = useState(false);
  const exportCsv = async () => {
    setExporting(true);
    try {
      const { downloadStatement } = await import("./statement-csv.ts");
      downloadStatement(await readFound(), language, t);
    } catch (error) {
      toast.error(t("statement.csv.failed"), { id: "csv", description: reasonOf(error, t) });
    } finally {
      setExporting(false);
    }
  };
  return (
    <button type="button" className="button button-small button-quiet" disabled={isExporting} onClick={exportCsv}>
      {t(isExporting ? "statement.csv.working" : "statement.csv")}
    </button>
  );
}

type FiltersProps = { entries: readonly Entry[]; filter: Filter; choose: (change: Filter) => void };

function Filters({ entries, filter, choose }: FiltersProps) {
  const t = useText();
  const stores = useMemo(() => [...new Set(entries.map((one) => one.store))].sort(), [entries]);
  const selects = [
    ["status", ENTRY_STATUSES.map((one) => [one, t(`statement.only.${one}`)] as const)],
    ["store", stores.map((one) => [one, one] as const)],
    ["period", keysOf(PERIODS).map((one) => [one, t(`statement.${one}`)] as const)],
  ] as const;
  return (
    <div className="statement-filters">
      {selects.map(([name, options]) => (
        <SelectField
          key={name}
          label={t(`statement.${name}`)}
          value={filter[name] ?? ""}
          options={[["", t(`statement.${name}.all`)], ...options]}
          choose={(value) => choose({ [name]: value })}
        />
      ))}
    </div>
  );
}
