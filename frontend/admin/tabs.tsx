import { Tabs as Parts } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import { ErrorBoundary } from "../app/error-boundary.tsx";

export type Tab<Id extends string> = { id: Id; label: string };

type TabsProps<Id extends string> = {
  label: string;
  tabs: readonly Tab<Id>[];
  selected: Id;
  onSelect: (id: Id) => void;
  children: ReactNode;
};

/** A row of tabs above the selected panel. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
  return (
    <Parts.Root value={selected} onValueChange={onSelect}>
      <Parts.List aria-label={label} activateOnFocus className="tabs">
        {tabs.map((tab) => (
          <Parts.Tab key={tab.id} value={tab.id} className="tab">
            {tab.label}
          </Parts.Tab>
        ))}
      </Parts.List>
      <Parts.Panel value={selected} className="admin-panel">
        <ErrorBoundary part={selected} resetKey={selected}>
          {children}
        </ErrorBoundary>
      </Parts.Panel>
    </Parts.Root>
  );
}
