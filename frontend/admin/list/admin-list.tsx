import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { toast } from "../../ui/toast.ts";
import { useSearchText } from "../../ui/use-search-text.ts";
import { Cells, ColumnHeaders } from "../plain-table.tsx";
import { refusalOf } from "../refusals.ts";
import { t } from "../texts.ts";
import style from "./admin-list.module.css";
import { BulkButton } from "./bulk.tsx";
import type { ListDefinition, Page } from "./definition.ts";
import { type ListAddress, useListAddress } from "./list-address.ts";
import { ListToolbar } from "./list-toolbar.tsx";
import { listQuery, PAGE_ROWS } from "./queries.ts";
import { moveBetweenRows, useFocusOfLostRow } from "./row-focus.ts";

/** The total that means "more than this". */
const UNCOUNTED = 10_001;

type ListPagerProps = {
  page: Page<unknown>;
  noun: ListDefinition<unknown>["noun"];
  address: ListAddress;
  isBusy: boolean;
};

type AdminListProps<Row> = {
  list: ListDefinition<Row>;
  /** Additional buttons. */
  actions?: ReactNode;
  /** The details of the row in the URL. */
  details?: (id: string, close: () => void) => ReactNode;
};

/** Every list of the panel: search, filters, sorting, paging, CSV, state in the URL, arrow keys between rows. */
export function AdminList<Row>({ list, actions, details }: AdminListProps<Row>) {
  const address = useListAddress();
  const { query, state, sort, cursors, row } = address;
  const search = useSearchText(query, (text) => address.filter({ query: text }));
  const page = useQuery({
    ...listQuery(list, { query, state, sort, before: cursors.at(-1) }),
    refetchOnWindowFocus: true,
    refetchInterval: list.refreshMs ?? false,
  });
  const isFiltered = Boolean(query || (state && state !== list.usualState));
  const clear = () => {
    search.clear();
    address.filter({ query: "", state: "" });
  };
  useFailureToast(list.failure, page.isError ? page.errorUpdateCount : 0);
  return (
    <section className="grid gap-4" aria-label={list.title}>
      <ListToolbar list={list} address={address} search={search} actions={actions} />
      {page.isPending ? (
        <div className="grid gap-2" aria-busy="true">
          <Skeletons count={6} className="h-12" />
        </div>
      ) : page.isError && !page.data ? (
        <RetryPanel
          title={list.failure?.title ?? t("list.failed", { title: list.title.toLowerCase() })}
          reason={refusalOf(page.error)}
          query={page}
        />
      ) : page.data?.rows.length === 0 ? (
        <Nothing list={list} address={address} next={page.data.next_before} onClear={isFiltered ? clear : undefined} />
      ) : (
        page.data && (
          <>
            {list.bulk && <BulkButton bulk={list.bulk} rows={page.data.rows} keyOf={list.keyOf} />}
            {page.isError && <Stale onRetry={() => page.refetch()} />}
            <Rows
              list={list}
              page={page.data}
              address={address}
              isOpenable={details !== undefined}
              isOld={page.isPlaceholderData}
            />
            <ListPager page={page.data} noun={list.noun} address={address} isBusy={page.isPlaceholderData} />
          </>
        )
      )}
      {row !== undefined && details?.(row, address.closeRow)}
    </section>
  );
}

/** docs/product.md#admin-texts. */
function useFailureToast(failure: ListDefinition<unknown>["failure"], failures: number): void {
  const { title, toastId } = failure ?? {};
  useEffect(() => {
    if (failures > 0 && title && toastId) toast.error(t("error"), { id: toastId, description: title });
  }, [failures, title, toastId]);
}

function Stale({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="problem" role="status">
      {t("list.stale")}
      <button type="button" className="link" onClick={onRetry}>
        {t("retry")}
      </button>
    </p>
  );
}

type NothingProps<Row> = {
  list: ListDefinition<Row>;
  address: ListAddress;
  next: Page<Row>["next_before"];
  /** Clears the filters, if there are any. */
  onClear: (() => void) | undefined;
};

function Nothing<Row>({ list, address, next, onClear }: NothingProps<Row>) {
  if (next !== null) {
    return (
      <EmptyPanel title={t("list.nothingYet")} hint={t("list.nothingYet.hint")}>
        <button
          type="button"
          className="button button-small button-quiet"
          onClick={() => address.toPage([...address.cursors, String(next)])}
        >
          {t("list.searchOn")}
        </button>
      </EmptyPanel>
    );
  }
  if (address.cursors.length > 0) {
    return (
      <EmptyPanel title={t("list.end")}>
        <button type="button" className="button button-small button-quiet" onClick={() => address.toPage([])}>
          {t("list.toStart")}
        </button>
      </EmptyPanel>
    );
  }
  if (!onClear) return <EmptyPanel {...list.empty} />;
  return (
    <EmptyPanel title={t("list.notFound")} hint={t("list.notFound.hint")}>
      <button type="button" className="button button-small button-quiet" onClick={onClear}>
        {t("list.clear")}
      </button>
    </EmptyPanel>
  );
}

type RowsProps<Row> = {
  list: ListDefinition<Row>;
  page: Page<Row>;
  address: ListAddress;
  isOpenable: boolean;
  isOld: boolean;
};

function Rows<Row>({ list, page, address, isOpenable, isOld }: RowsProps<Row>) {
  const { card, keyOf } = list;
  if (card) {
    return (
      <ul className={style.cards} aria-busy={isOld} onKeyDown={moveBetweenRows}>
        {page.rows.map((row) => (
          <li key={keyOf(row)}>{card(row)}</li>
        ))}
      </ul>
    );
  }
  return <Table list={list} page={page} address={address} isOpenable={isOpenable} isOld={isOld} />;
}

function Table<Row>({ list, page, address, isOpenable, isOld }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const keys = page.rows.map(list.keyOf);
  const noteRow = useFocusOfLostRow(body, keys);
  // One stop of the Tab key for the whole list; the arrow keys move it.
  const [active, setActive] = useState<string>();
  const stop = active && keys.includes(active) ? active : keys.includes(address.row ?? "") ? address.row : keys[0];
  return (
    <div className={style.table}>
      <table aria-busy={isOld}>
        <caption className="sr-only">{t("list.caption", { title: list.title })}</caption>
        <thead>
          <tr>
            <th scope="col">{t(`noun.${list.noun}`)}</th>
            <ColumnHeaders columns={list.columns} />
            {list.actions && (
              <th scope="col">
                <span className="sr-only">{t("actions")}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={moveBetweenRows} onFocus={noteRow}>
          {page.rows.map((row) => {
            const key = list.keyOf(row);
            return (
              <TableRow
                key={key}
                list={list}
                row={row}
                href={isOpenable ? address.rowHref(key) : undefined}
                isOpen={key === address.row}
                isStop={key === stop}
                onFocus={() => setActive(key)}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

type TableRowProps<Row> = {
  list: ListDefinition<Row>;
  row: Row;
  /** Where the row opens; undefined if the list's rows do not open. */
  href: string | undefined;
  isOpen: boolean;
  /** Whether the Tab key stops at this row. */
  isStop: boolean;
  onFocus: () => void;
};

function TableRow<Row>({ list, row, href, isOpen, isStop, onFocus }: TableRowProps<Row>) {
  const navigate = useNavigate();
  return (
    <tr
      tabIndex={-1}
      data-open={isOpen || undefined}
      data-openable={href !== undefined || undefined}
      onClick={({ target }) => {
        if (href === undefined || isControl(target) || getSelection()?.toString()) return;
        navigate(href, { preventScrollReset: true });
      }}
    >
      <th scope="row">
        {href === undefined ? (
          list.nameOf(row)
        ) : (
          <Link
            to={href}
            preventScrollReset
            className={style.link}
            data-row=""
            tabIndex={isStop ? 0 : -1}
            onFocus={onFocus}
          >
            {list.nameOf(row)}
          </Link>
        )}
      </th>
      <Cells columns={list.columns} row={row} />
      {list.actions && <td className={style.actions}>{list.actions(row)}</td>}
    </tr>
  );
}

/** A link, button or field in a row has its own action. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input") !== null;
}

/** The range of rows, the total, and the buttons for other pages. */
function ListPager({ page, noun, address, isBusy }: ListPagerProps) {
  const { integer } = useFormat();
  const { cursors, query, toPage } = address;
  const first = cursors.length * PAGE_ROWS + 1;
  const last = first + page.rows.length - 1;
  const total = page.total >= UNCOUNTED ? t(`many.${noun}`) : t(`counted.${noun}`, { count: page.total });
  const next = page.next_before;
  const isWhole = cursors.length === 0 && next === null;
  // A page of a broad search can have fewer rows than the limit. docs/product.md#panel-lists.
  const isBroad = query !== "" && page.total >= UNCOUNTED;
  const range = isBroad
    ? t("list.broad", { count: integer(page.rows.length) })
    : t("list.range", { first: integer(first), last: integer(last), total });
  return (
    <nav className={style.pager} aria-label={t("list.pages")}>
      <p className="figures muted" role="status">
        {isWhole ? total : range}
      </p>
      {!isWhole && (
        <div className={style.pagerButtons}>
          <button
            type="button"
            className="button button-small button-quiet"
            disabled={cursors.length === 0 || isBusy}
            onClick={() => toPage(cursors.slice(0, -1))}
          >
            {t("list.previous")}
          </button>
          <button
            type="button"
            className="button button-small button-quiet"
            disabled={next === null || isBusy}
            onClick={() => next !== null && toPage([...cursors, String(next)])}
          >
            {t("list.next")}
          </button>
        </div>
      )}
    </nav>
  );
}
