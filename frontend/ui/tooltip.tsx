import { type ReactNode, useId, useState } from "react";
import { Icon } from "./icon.tsx";

/** A short explanation, by hover, focus and touch; Escape hides it. */
export function Tooltip({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering is one way of three; the button serves the others
    <span
      className="tooltip"
      onMouseEnter={() => setOpen(true)}
      onMouseLeave={() => setOpen(false)}
      role="presentation"
    >
      <button
        type="button"
        className="tooltip-button"
        aria-label={label}
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !isOpen) return;
          event.preventDefault();
          event.stopPropagation();
          setOpen(false);
        }}
      >
        <Icon name="info" size={16} />
      </button>
      <span role="tooltip" id={id} className="tooltip-text" hidden={!isOpen}>
        {children}
      </span>
    </span>
  );
}
