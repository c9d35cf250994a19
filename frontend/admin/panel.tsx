import { useSearchParams } from "react-router";
import { fetched } from "../app/fetched.tsx";
import { PageHeading } from "../app/page.tsx";
import { RoleNotice } from "./decisions/permissions.tsx";
import style from "./panel.module.css";
import { InPanelLanguage, withAllTexts } from "./panel-language.tsx";
import { Tabs } from "./tabs.tsx";
import { panelLocale, type TextId, t } from "./texts.ts";

type PanelTab = ReturnType<typeof fetched> & { id: string; label: TextId };

const DASHBOARD: PanelTab = {
  id: "dashboard",
  label: "tab.dashboard",
  ...fetched(() => import("./overview/dashboard-tab.tsx"), "DashboardTab"),
};
const TABS: readonly PanelTab[] = [
  DASHBOARD,
  {
    id: "stores",
    label: "tab.stores",
    ...fetched(() => withAllTexts(() => import("./stores/stores-tab.tsx")), "StoresTab"),
  },
  {
    id: "fan-tokens",
    label: "tab.fan-tokens",
    ...fetched(() => withAllTexts(() => import("./fan-tokens/fan-tokens-tab.tsx")), "FanTokensTab"),
  },
  {
    id: "users",
    label: "tab.users",
    ...fetched(() => withAllTexts(() => import("./people/people-tab.tsx")), "PeopleTab"),
  },
  {
    id: "settings",
    label: "tab.settings",
    ...fetched(() => withAllTexts(() => import("./settings/settings-tab.tsx")), "SettingsTab"),
  },
];

/** The admin panel: five tabs, in Portuguese until an admin chooses another language. docs/product.md#admin-panel. */
export default function Panel() {
  return (
    <InPanelLanguage>
      <PanelTabs />
    </InPanelLanguage>
  );
}

function PanelTabs() {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("tab");
  const { id: selected, Screen } = TABS.find((tab) => tab.id === asked) ?? DASHBOARD;
  return (
    <div className={`page ${style.page}`} lang={panelLocale()}>
      <PageHeading>{t("panel.title")}</PageHeading>
      <RoleNotice />
      <Tabs
        label={t("panel.title")}
        tabs={TABS.map(({ label, ...tab }) => ({ ...tab, label: t(label) }))}
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
