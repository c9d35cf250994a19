import { useEffect, useRef } from "react";
import { Field } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import style from "./search-field.module.css";

type SearchFieldProps = { label: string; value: string; onChange: (text: string) => void };

/** The search of a list, which `/` focuses from anywhere in the page. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusOnSlash = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof Element && target.closest("input, select, textarea, [role=dialog]")) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", focusOnSlash);
    return () => removeEventListener("keydown", focusOnSlash);
  }, []);
  return (
    <Field label={label} isLabelHidden className={style.search}>
      {(control) => (
        <>
          <Icon name="search" />
          <input
            ref={field}
            type="search"
            {...control}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={128}
            placeholder={label}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
          <span className={style.key} aria-hidden="true">
            /
          </span>
        </>
      )}
    </Field>
  );
}
