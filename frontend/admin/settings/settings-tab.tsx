import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { keysOf } from "../../../core/rules/records.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { SearchField } from "../list/search-field.tsx";
import { type Column, PlainTable } from "../plain-table.tsx";
import type { Configuration } from "../shapes.ts";
import { TabHead } from "../tab-head.tsx";
import { configurationQuery } from "./queries.ts";
import { SETTING_GROUPS, settingFigure } from "./setting-words.ts";

/** The effective configuration: read-only, without secrets. */
export function SettingsTab() {
  const configuration = useQuery(configurationQuery);
  return (
    <>
      <TabHead title="Configurações" text="As configurações estão em desenvolvimento.">
        Por enquanto são só para ler: mudam-se nas variáveis de ambiente do servidor. Segredos nunca aparecem.
      </TabHead>
      {configuration.isPending ? (
        <Skeletons count={5} className="h-12" />
      ) : configuration.data ? (
        <Settings settings={configuration.data} />
      ) : (
        <RetryPanel title="Não foi possível carregar a configuração." query={configuration} />
      )}
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
    <section className="grid gap-5" aria-label="Configuração em vigor">
      <div className="list-tools">
        <SearchField label="Buscar por nome" value={query} onChange={setQuery} />
      </div>
      {found.length === 0 ? (
        <EmptyPanel title="Nada encontrado" hint="Confira o que você digitou." />
      ) : (
        found.map((group) => <SettingsTable key={group.title} {...group} />)
      )}
    </section>
  );
}

type Setting = Configuration[number] & { words: string };
type Group = { title: string; rows: readonly Setting[] };

/** By what they are about; a variable that the panel does not know, of a newer server, comes last. */
function groupsOf(settings: Configuration): Group[] {
  const known = SETTING_GROUPS.map(([title, words]) => ({
    title,
    rows: keysOf(words).flatMap((name) =>
      settings.filter((one) => one.name === name).map((one) => ({ ...one, words: words[name] ?? name })),
    ),
  }));
  const names = new Set(known.flatMap(({ rows }) => rows.map(({ name }) => name)));
  const others = settings.filter(({ name }) => !names.has(name)).map((one) => ({ ...one, words: one.name }));
  return [...known, { title: "Outras", rows: others }];
}

const COLUMNS: readonly Column<Setting>[] = [
  { header: "Valor", cell: (setting) => <SettingValue setting={setting} /> },
  { header: "Origem", cell: ({ is_set }) => (is_set ? "definido" : <span className="muted">padrão</span>) },
];

function SettingsTable({ title, rows }: Group) {
  const id = useId();
  return (
    <section className="settings" aria-labelledby={id}>
      <h3 id={id} className="card-title">
        {title}
      </h3>
      <PlainTable
        caption={title}
        noun="nome"
        rows={rows}
        keyOf={({ name }) => name}
        nameOf={({ name, words }) => (
          <>
            {words}
            <code className="row-note setting-name">{name}</code>
          </>
        )}
        columns={COLUMNS}
      />
    </section>
  );
}

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

function SettingValue({ setting }: { setting: Setting }) {
  const format = useFormat();
  if (setting.is_secret)
    return <span className="muted">{setting.is_set ? "segredo, não é mostrado" : "sem segredo"}</span>;
  const figure = settingFigure(setting.name, setting.value ?? "", format);
  if (!setting.value) return <span className="muted">{figure ?? "–"}</span>;
  return figure ?? <code>{setting.value}</code>;
}
