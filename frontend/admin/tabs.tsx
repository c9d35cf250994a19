import { Tabs as Parts } from "@base-ui/react/tabs";
import { type ReactNode, Suspense } from "react";
import { ErrorBoundary } from "../app/error-boundary.tsx";
import { fetchAhead } from "../app/fetched.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import style from "./panel.module.css";

/** `fetchNow`: loads the tab's code. */
type Tab<Id> = { id: Id; label: string; fetchNow?: () => Promise<unknown> };

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
          <Parts.Tab
            key={tab.id}
            value={tab.id}
            className="tab"
            onPointerEnter={() => tab.fetchNow && fetchAhead(tab.fetchNow)}
          >
            {tab.label}
          </Parts.Tab>
        ))}
      </Parts.List>
      <Parts.Panel value={selected} className={style.tabPanel}>
        <ErrorBoundary part={selected} resetKey={selected}>
          <Suspense fallback={<Skeletons count={2} className="h-48" />}>{children}</Suspense>
        </ErrorBoundary>
      </Parts.Panel>
    </Parts.Root>
  );
}
