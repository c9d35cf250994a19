import "../design/admin.css";
import { useSearchParams } from "react-router";
import { PageHeading } from "../app/page.tsx";
import { BlankTicket } from "../ui/ticket.tsx";
import { FanTokensTab } from "./fan-tokens-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { StoresTab } from "./stores-tab.tsx";
import { type Tab, Tabs } from "./tabs.tsx";

const TABS = [
  { id: "dashboard", label: "Dashboard" },
  { id: "stores", label: "Lojas" },
  { id: "fan-tokens", label: "Fan Tokens" },
  { id: "users", label: "Usuários" },
  { id: "settings", label: "Configurações" },
] as const satisfies readonly Tab<string>[];
type TabId = (typeof TABS)[number]["id"];

/** The admin panel: five tabs, in Portuguese. docs/product.md#admin-panel. */
export default function Panel() {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("tab");
  const selected: TabId = TABS.find((tab) => tab.id === asked)?.id ?? "dashboard";
  return (
    <div className="page" lang="pt-BR">
      <PageHeading>Painel de Administração</PageHeading>
      <p className="lead">Lojas, cashback e fan tokens da Torcida.</p>
      <Tabs
        label="Painel de Administração"
        tabs={TABS}
        selected={selected}
        onSelect={(id) =>
          setParameters(id === "dashboard" ? {} : { tab: id }, { replace: true, preventScrollReset: true })
        }
      >
        {selected === "dashboard" && <OverviewTab />}
        {selected === "stores" && <StoresTab />}
        {selected === "fan-tokens" && <FanTokensTab />}
        {selected === "users" && <Placeholder title="Usuários" text="A gestão de usuários está em desenvolvimento." />}
        {selected === "settings" && (
          <Placeholder title="Configurações" text="As configurações estão em desenvolvimento." />
        )}
      </Tabs>
    </div>
  );
}

function Placeholder({ title, text }: { title: string; text: string }) {
  return (
    <div className="state-panel">
      <BlankTicket />
      <h2 className="state-title">{title}</h2>
      <p className="muted">{text}</p>
    </div>
  );
}
