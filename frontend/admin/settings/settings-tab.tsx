import { Placeholder } from "../placeholder.tsx";

/** docs/product.md#admin-panel. */
export function SettingsTab() {
  return <Placeholder title="Configurações" text="As configurações estão em desenvolvimento." />;
}
