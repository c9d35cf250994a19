import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { SearchField } from "../list/search-field.tsx";
import { Placeholder } from "../placeholder.tsx";
import { type Column, PlainTable } from "../plain-table.tsx";
import type { Configuration } from "../shapes.ts";
import { configurationQuery } from "./queries.ts";
import { SETTING_WORDS, settingFigure } from "./setting-words.ts";

/** The effective configuration: read-only, without secrets. */
export function SettingsTab() {
  const configuration = useQuery(configurationQuery);
  return (
    <>
      <Placeholder title="Configurações" text="As configurações estão em desenvolvimento." />
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
  const found = settings
    .map((setting) => ({ ...setting, words: SETTING_WORDS[setting.name] ?? setting.name }))
    .filter(({ name, words }) => plain(`${words} ${name}`).includes(wanted))
    .toSorted((one, other) => one.words.localeCompare(other.words, "pt-BR"));
  return (
    <section className="grid gap-4" aria-label="Configuração em vigor">
      <p className="hint">
        O que vale agora, só para ler. Muda-se nas variáveis de ambiente do servidor; segredos nunca aparecem.
      </p>
      <div className="list-tools">
        <SearchField label="Buscar por nome" value={query} onChange={setQuery} />
      </div>
      {found.length === 0 ? (
        <EmptyPanel title="Nada encontrado" hint="Confira o que você digitou." />
      ) : (
        <SettingsTable settings={found} />
      )}
    </section>
  );
}

type Setting = Configuration[number];

const COLUMNS: readonly Column<Setting>[] = [
  { header: "Valor", cell: (setting) => <SettingValue setting={setting} /> },
  { header: "Origem", cell: ({ is_set }) => (is_set ? "definido" : <span className="muted">padrão</span>) },
];

function SettingsTable({ settings }: { settings: readonly (Setting & { words: string })[] }) {
  return (
    <PlainTable
      caption="Configuração em vigor"
      noun="nome"
      rows={settings}
      keyOf={({ name }) => name}
      nameOf={({ name, words }) => (
        <>
          {words}
          <code className="row-note setting-name">{name}</code>
        </>
      )}
      columns={COLUMNS}
    />
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
