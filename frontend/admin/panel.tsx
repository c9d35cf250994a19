import "../design/screens/admin.css";
import { useSearchParams } from "react-router";
import { PageHeading } from "../app/page.tsx";
import { RoleNotice } from "./decisions/permissions.tsx";
import { FanTokensTab } from "./fan-tokens/fan-tokens-tab.tsx";
import { DashboardTab } from "./overview/dashboard-tab.tsx";
import { PeopleTab } from "./people/people-tab.tsx";
import { SettingsTab } from "./settings/settings-tab.tsx";
import { StoresTab } from "./stores/stores-tab.tsx";
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
    <div className="page admin-page" lang="pt-BR">
      <PageHeading>Painel de Administração</PageHeading>
      <RoleNotice />
      <Tabs
        label="Painel de Administração"
        tabs={TABS}
        selected={selected}
        // List state belongs to its tab.
        onSelect={(id) =>
          setParameters(id === "dashboard" ? {} : { tab: id }, { replace: true, preventScrollReset: true })
        }
      >
        {selected === "dashboard" && <DashboardTab />}
        {selected === "stores" && <StoresTab />}
        {selected === "fan-tokens" && <FanTokensTab />}
        {selected === "users" && <PeopleTab />}
        {selected === "settings" && <SettingsTab />}
      </Tabs>
    </div>
  );
}
