import { Tooltip as Hint } from "@base-ui/react/tooltip";
import { type ReactNode, useId, useRef, useState } from "react";
import { Icon } from "./icon.tsx";

/** A short explanation, by hover, focus and touch; Escape hides it. */
export function Tooltip({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const isPressed = useRef(false);
  return (
    <Hint.Root
      open={isOpen}
      onOpenChange={(isNext, { reason }) => {
        // A tooltip opened by a press stays when the pointer leaves, which a finger always does.
        if (reason === "trigger-hover" && isPressed.current) return;
        isPressed.current = false;
        setOpen(isNext);
      }}
    >
      <Hint.Trigger
        type="button"
        className="tooltip-button"
        aria-label={label}
        aria-describedby={id}
        delay={0}
        closeOnClick={false}
        onClick={() => {
          isPressed.current = true;
          setOpen(true);
        }}
      >
        <Icon name="info" size={16} />
      </Hint.Trigger>
      {/* Always rendered, so that the button's description is announced with it. */}
      <Hint.Portal keepMounted>
        <Hint.Positioner sideOffset={4} collisionPadding={8} className="tooltip-layer">
          <Hint.Popup role="tooltip" id={id} className="tooltip-text">
            {children}
          </Hint.Popup>
        </Hint.Positioner>
      </Hint.Portal>
    </Hint.Root>
  );
}
