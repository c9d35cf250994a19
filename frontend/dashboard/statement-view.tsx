import { useEffect, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { keysOf } from "../../core/rules/records.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { Profile } from "../api/shapes.ts";
import { useLanguage, useText } from "../i18n/language.tsx";
import { SelectField } from "../ui/select-field.tsx";
import { toast } from "../ui/toast.ts";
import { CashbackHistory } from "./cashback-history.tsx";
import {
  ENTRY_STATUSES,
  type Entry,
  type Filter,
  filterLines,
  isShown,
  type Line,
  linesOf,
  PERIODS,
  STATEMENT_PAGE,
} from "./statement.ts";
import { Months } from "./statement-lines.tsx";
import style from "./statement-view.module.css";

/** So many lines are read without filters. */
const FEW = 3;

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

/** All purchases, sales in review and debts, by month, filtered, as CSV; before them the last ones as bars. docs/product.md#tickets */
export default function StatementView({
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
  const clear = () => {
    setFilter({});
    if (figure) navigate({ search: "?view=statement", hash: "#tickets" });
  };
  // Filters apply to all purchases: older ones are loaded until there are enough to show.
  const isSearching = Object.values(filter).some(Boolean) && hasOlder && !isOlderAway && found.length < shown;
  useEffect(() => {
    if (isSearching && !isLoadingOlder) loadOlder();
  });
  const choose = (change: Filter) => {
    setFilter({ ...chosen, ...change });
    setShown(STATEMENT_PAGE);
  };
  const more = () => {
    setShown(shown + STATEMENT_PAGE);
    if (hasOlder && shown + STATEMENT_PAGE >= found.length) loadOlder();
  };
  return (
    <section aria-labelledby="statement" className={style.statement}>
      {/* What lies in a figure stands alone, where its link leads. */}
      {!figure && <CashbackHistory purchases={profile.purchases} />}
      <h3 id="statement" className="sr-only">
        {t("statement.title")}
      </h3>
      {(hasOlder || lines.length > FEW) && <Filters entries={entries} filter={chosen} choose={choose} />}
      {figure && isShown(figure) && (
        <p>
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
      <Months lines={found.slice(0, shown)} />
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
    <div className={style.filters}>
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
