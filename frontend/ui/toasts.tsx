import { useEffect, useRef } from "react";
import { Toaster } from "sonner";
import { useTheme } from "../app/theme.ts";
import { useText } from "../i18n/language.tsx";
import { useIsPhone } from "./use-is-phone.ts";

/** Below the phone's header. */
const PHONE_HEADER = "4.25rem";

/** Short messages, outside the routes; from where no buttons are: they stand at the right, and on a phone at the bottom. A popover, because the browser's top layer is above every dialog. */
export function Toasts() {
  const t = useText();
  const isPhone = useIsPhone();
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const layer = ref.current;
    // React's strict mode runs effects twice.
    if (layer?.showPopover && !layer.matches(":popover-open")) layer.showPopover();
  }, []);
  return (
    <div ref={ref} popover="manual" className="toast-layer">
      <Toaster
        theme={useTheme()}
        position={isPhone ? "top-center" : "bottom-left"}
        expand={!isPhone}
        visibleToasts={isPhone ? 1 : 4}
        mobileOffset={{ top: PHONE_HEADER }}
        closeButton
        containerAriaLabel={t("common.notifications")}
        toastOptions={{ closeButtonAriaLabel: t("common.close") }}
      />
    </div>
  );
}
