import { useEffect, useRef } from "react";
import { Toaster } from "sonner";
import { useTheme } from "../app/theme.ts";
import { useText } from "../i18n/language.tsx";

const DIALOG_OPENED = "torcida:dialog-opened";

/** Said by a dialog that has opened, so that the toasts come to stand above it. */
export function announceDialog(): void {
  dispatchEvent(new Event(DIALOG_OPENED));
}

/** Short messages, outside the routes. A popover, because what opened last in the browser's top layer is in front. */
export function Toasts() {
  const t = useText();
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const layer = ref.current;
    if (!layer?.showPopover) return;
    const toFront = () => {
      if (layer.matches(":popover-open")) layer.hidePopover();
      layer.showPopover();
    };
    toFront();
    addEventListener(DIALOG_OPENED, toFront);
    return () => removeEventListener(DIALOG_OPENED, toFront);
  }, []);
  return (
    <div ref={ref} popover="manual" className="toast-layer">
      <Toaster
        theme={useTheme()}
        position="bottom-right"
        duration={5_000}
        expand
        visibleToasts={4}
        closeButton
        containerAriaLabel={t("common.notifications")}
        toastOptions={{ closeButtonAriaLabel: t("common.close") }}
      />
    </div>
  );
}
