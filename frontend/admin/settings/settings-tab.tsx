import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { keysOf } from "../../../core/rules/records.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import adminListStyle from "../list/admin-list.module.css";
import listToolbarStyle from "../list/list-toolbar.module.css";
import { SearchField } from "../list/search-field.tsx";
import panelStyle from "../panel.module.css";
import { LanguageChoice } from "../panel-language.tsx";
import { type Column, PlainTable } from "../plain-table.tsx";
import type { Configuration } from "../shapes.ts";
import { TabHead } from "../tab-head.tsx";
import { t, textOf } from "../texts.ts";
import { configurationQuery } from "./queries.ts";
import { SETTING_GROUPS, settingFigure } from "./setting-words.ts";
import style from "./settings-tab.module.css";

/** The effective configuration: read-only, without secrets. What the operator set shows; defaults are folded. */
export function SettingsTab() {
  const configuration = useQuery(configurationQuery);
  return (
    <>
      <TabHead title={t("settings.title")} text={t("settings.fixed")}>
        {t("settings.now")}
      </TabHead>
      <div className="grid gap-5">
        <div className={listToolbarStyle.tools}>
          <LanguageChoice />
        </div>
        {configuration.isPending ? (
          <Skeletons count={5} className="h-12" />
        ) : configuration.data ? (
          <Settings settings={configuration.data} />
        ) : (
          <RetryPanel title={t("settings.failed")} query={configuration} />
        )}
      </div>
    </>
  );
}

function Settings({ settings }: { settings: Configuration }) {
  const [query, setQuery] = useState("");
  const wanted = plain(query.trim());
  const groups = groupsOf(settings).map(({ title, rows }) => ({
    title,
    rows: rows.filter(({ name, words }) => plain(`${title} ${words} ${name}`).includes(wanted)),
  }));
  const found = groups.filter(({ rows }) => rows.length > 0);
  return (
    <section className="grid gap-5" aria-label={t("settings.inForce")}>
      <div className={listToolbarStyle.tools}>
        <SearchField label={t("settings.search")} value={query} onChange={setQuery} />
      </div>
      {found.length === 0 ? (
        <EmptyPanel title={t("settings.none")} hint={t("settings.none.hint")} />
      ) : (
        found.map((group) => <SettingsGroup key={group.title} isSearched={wanted !== ""} {...group} />)
      )}
    </section>
  );
}

type Setting = Configuration[number] & { words: string };
type Group = { title: string; rows: readonly Setting[] };

/** By what they are about; a variable that the panel does not know, of a newer server, comes last. */
function groupsOf(settings: Configuration): Group[] {
  const known = keysOf(SETTING_GROUPS).map((group) => ({
    title: t(`settingGroup.${group}`),
    rows: SETTING_GROUPS[group].flatMap((name) =>
      settings.filter((one) => one.name === name).map((one) => ({ ...one, words: t(`setting.${name}`) })),
    ),
  }));
  const others = settings
    .filter(({ name }) => textOf("setting", name) === undefined)
    .map((one) => ({ ...one, words: one.name }));
  return [...known, { title: t("settingGroup.others"), rows: others }];
}

/** What was searched for is never folded away. */
function SettingsGroup({ title, rows, isSearched }: Group & { isSearched: boolean }) {
  const id = useId();
  const shown = isSearched ? rows : rows.filter(({ is_set }) => is_set);
  const folded = isSearched ? [] : rows.filter(({ is_set }) => !is_set);
  return (
    <section className={style.settings} aria-labelledby={id}>
      <h3 id={id} className="card-title">
        {title}
      </h3>
      {shown.length > 0 && <SettingsTable title={title} rows={shown} />}
      {folded.length > 0 && (
        <details className={panelStyle.technical}>
          <summary>{t("settings.defaults", { count: folded.length })}</summary>
          <SettingsTable title={title} rows={folded} />
        </details>
      )}
    </section>
  );
}

function SettingsTable({ title, rows }: Group) {
  const columns: readonly Column<Setting>[] = [
    { header: t("settings.value"), cell: (setting) => <SettingValue setting={setting} /> },
  ];
  return (
    <PlainTable
      caption={title}
      noun={t("noun.setting")}
      rows={rows}
      keyOf={({ name }) => name}
      nameOf={({ name, words }) => (
        <>
          {words}
          <code className={`${adminListStyle.note} ${style.name}`}>{name}</code>
        </>
      )}
      columns={columns}
    />
  );
}

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

function SettingValue({ setting }: { setting: Setting }) {
  const format = useFormat();
  if (setting.is_secret)
    return <span className="muted">{setting.is_set ? t("settings.secret") : t("settings.noSecret")}</span>;
  const figure = settingFigure(setting.name, setting.value ?? "", format);
  if (!setting.value) return <span className="muted">{figure ?? "–"}</span>;
  return figure ?? <code>{setting.value}</code>;
}
