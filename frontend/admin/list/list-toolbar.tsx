import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useAttention } from "../../api/queries.ts";
import { download } from "../../ui/download.ts";
import { Field } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/toast.ts";
import type { SearchText } from "../../ui/use-search-text.ts";
import { WaitingCount } from "../badge.tsx";
import { refusalOf } from "../refusals.ts";
import { t } from "../texts.ts";
import type { ListDefinition, Option } from "./definition.ts";
import type { ListAddress } from "./list-address.ts";
import style from "./list-toolbar.module.css";
import { getCsv } from "./queries.ts";
import { SearchField } from "./search-field.tsx";

type ListToolbarProps<Row> = {
  list: ListDefinition<Row>;
  address: ListAddress;
  search: SearchText;
  actions: ReactNode;
};

export function ListToolbar<Row>({ list, address, search, actions }: ListToolbarProps<Row>) {
  const { states = [], sorts = [] } = list;
  const attention = useAttention().data;
  return (
    <div className="grid gap-3">
      <div className={style.tools}>
        {list.search && <SearchField label={list.search} value={search.text} onChange={search.type} />}
        {sorts.length > 1 && <Sort sorts={sorts} address={address} />}
        <div className={style.buttons}>
          {actions}
          {list.hasCsv !== false && <CsvButton list={list} address={address} query={search.query} />}
        </div>
      </div>
      {states.length > 0 && (
        <States
          all={list.allStates ?? t("list.allFeminine")}
          states={states}
          counts={attention && list.waiting?.(attention)}
          selected={address.state}
          onSelect={(state) => address.filter({ state })}
        />
      )}
    </div>
  );
}

function Sort({ sorts, address }: { sorts: readonly Option[]; address: ListAddress }) {
  return (
    <Field label={t("list.sort")} isLabelHidden className={style.sort}>
      {(control) => (
        <select
          {...control}
          value={address.sort || sorts[0]?.value}
          onChange={({ target }) => address.filter({ sort: target.value })}
        >
          {sorts.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type StatesProps = {
  all: string;
  states: readonly Option[];
  counts: Readonly<Record<string, number>> | undefined;
  selected: string;
  onSelect: (state: string) => void;
};

function States({ all, states, counts = {}, selected, onSelect }: StatesProps) {
  return (
    <fieldset className="chips">
      <legend className="sr-only">{t("status")}</legend>
      {[{ value: "", label: all }, ...states].map(({ value, label }) => (
        <button
          key={value}
          type="button"
          className="chip"
          aria-pressed={value === selected}
          onClick={() => onSelect(value)}
        >
          {label}
          {(counts[value] ?? 0) > 0 && <WaitingCount count={counts[value] ?? 0} />}
        </button>
      ))}
    </fieldset>
  );
}

type CsvButtonProps<Row> = { list: ListDefinition<Row>; address: ListAddress; query: string };

function CsvButton<Row>({ list, address, query }: CsvButtonProps<Row>) {
  const save = useMutation({
    async mutationFn() {
      const { state, sort } = address;
      const name = `${list.path.split("/").at(-1)}-${new Date().toISOString().slice(0, 10)}.csv`;
      download(name, "text/csv", await getCsv(list.path, { query, state, sort }));
    },
    onError: (error) => toast.error(t("list.csvFailed"), { id: "admin", description: refusalOf(error) }),
  });
  return (
    <button
      type="button"
      className="button button-small button-quiet"
      disabled={save.isPending}
      onClick={() => save.mutate()}
    >
      <Icon name="download" />
      {save.isPending ? t("list.downloading") : "CSV"}
    </button>
  );
}
