import { useEffect, useRef } from "react";
import { Toaster } from "sonner";
import { useTheme } from "../app/theme.ts";
import { useText } from "../i18n/language.tsx";

/** Short messages, outside the routes. A popover, because the browser's top layer stands above every dialog. */
export function Toasts() {
  const t = useText();
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const layer = ref.current;
    // React's strict mode asks twice.
    if (layer?.showPopover && !layer.matches(":popover-open")) layer.showPopover();
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
