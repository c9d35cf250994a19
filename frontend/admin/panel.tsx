import "../design/screens/admin.css";
import { useSearchParams } from "react-router";
import { fetched } from "../app/fetched.tsx";
import { PageHeading } from "../app/page.tsx";
import { RoleNotice } from "./decisions/permissions.tsx";
import { Tabs } from "./tabs.tsx";

const DASHBOARD = {
  id: "dashboard",
  label: "Dashboard",
  ...fetched(() => import("./overview/dashboard-tab.tsx"), "DashboardTab"),
};
const TABS = [
  DASHBOARD,
  { id: "stores", label: "Lojas", ...fetched(() => import("./stores/stores-tab.tsx"), "StoresTab") },
  {
    id: "fan-tokens",
    label: "Fan Tokens",
    ...fetched(() => import("./fan-tokens/fan-tokens-tab.tsx"), "FanTokensTab"),
  },
  { id: "users", label: "Usuários", ...fetched(() => import("./people/people-tab.tsx"), "PeopleTab") },
  { id: "settings", label: "Configurações", ...fetched(() => import("./settings/settings-tab.tsx"), "SettingsTab") },
];

/** The admin panel: five tabs, in Portuguese. docs/product.md#admin-panel. */
export default function Panel() {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("tab");
  const { id: selected, Screen } = TABS.find((tab) => tab.id === asked) ?? DASHBOARD;
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
          setParameters(id === DASHBOARD.id ? {} : { tab: id }, { replace: true, preventScrollReset: true })
        }
      >
        <Screen key={selected} />
      </Tabs>
    </div>
  );
}
