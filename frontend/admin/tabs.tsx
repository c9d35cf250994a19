import { type KeyboardEvent, type ReactNode, useRef } from "react";

export type Tab<Id extends string> = { id: Id; label: string };

type TabsProps<Id extends string> = {
  label: string;
  /** Sets the ids apart where tabs stand within tabs. */
  name: string;
  tabs: readonly Tab<Id>[];
  selected: Id;
  onSelect: (id: Id) => void;
  children: ReactNode;
};

/** Tabs by the ARIA pattern: one stop for the Tab key, arrows within. */
export function Tabs<Id extends string>({ label, name, tabs, selected, onSelect, children }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null);
  function move(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const index = tabs.findIndex((tab) => tab.id === selected);
    const target =
      step !== undefined
        ? tabs[(index + step + tabs.length) % tabs.length]
        : event.key === "Home"
          ? tabs[0]
          : event.key === "End"
            ? tabs.at(-1)
            : undefined;
    if (!target) return;
    event.preventDefault();
    onSelect(target.id);
    list.current?.querySelector<HTMLElement>(`#${name}-${target.id}-tab`)?.focus();
  }
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} className="tabs">
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            className="tab"
            id={`${name}-${tab.id}-tab`}
            aria-controls={`${name}-panel`}
            aria-selected={tab.id === selected}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
            onKeyDown={move}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${name}-panel`} aria-labelledby={`${name}-${selected}-tab`} className="admin-panel">
        {children}
      </div>
    </>
  );
}
