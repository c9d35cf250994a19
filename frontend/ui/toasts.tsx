import { useEffect, useRef, useState } from "react";
import { theme } from "../app/theme.ts";
import { useText } from "../i18n/language.tsx";
import { loadToasts, toastsLoaded } from "./toast.ts";
import { useIsPhone } from "./use-is-phone.ts";

/** On a phone, below all that can be pressed at the top of the screen (`keepBelow`). */
const PHONE_TOP = "var(--toast-top, 0.5rem)";

/** The first of them loads the toasts: one that says that the connection is gone comes too late to be fetched. */
const ACTS = ["pointerover", "pointerdown", "keydown"] as const;

/**
 * Short messages, outside the routes; away from the page's buttons: those stand at the right, and on a phone at the
 * bottom. A popover, because the browser's top layer is above every dialog.
 */
export function Toasts() {
  const t = useText();
  const shown = theme.use();
  const isPhone = useIsPhone();
  const ref = useRef<HTMLDivElement>(null);
  const isTab = useRef(false);
  const [library, setLibrary] = useState<Awaited<typeof toastsLoaded>>();
  useEffect(() => {
    toastsLoaded.then(setLibrary);
    const onAct = () => loadToasts().catch(() => {});
    for (const act of ACTS) addEventListener(act, onAct, { once: true, passive: true });
    return () => {
      for (const act of ACTS) removeEventListener(act, onAct);
    };
  }, []);
  useEffect(() => {
    const layer = ref.current;
    // React's strict mode runs effects twice.
    if (layer?.showPopover && !layer.matches(":popover-open")) layer.showPopover();
  }, []);
  return (
    // `aria-live`, because a dialog hides everything without it from screen readers; off, because the toasts have their own.
    <div
      ref={ref}
      popover="manual"
      className="toast-layer"
      aria-live="off"
      onKeyDownCapture={({ key }) => {
        isTab.current = key === "Tab";
      }}
      onPointerDownCapture={() => {
        isTab.current = false;
      }}
      // The library gives the focus back to where it came from, which is right for who closes a toast: Tab goes on.
      onBlurCapture={(event) => isTab.current && event.stopPropagation()}
    >
      {library && (
        <library.Toaster
          theme={shown}
          position={isPhone ? "top-center" : "bottom-left"}
          expand={!isPhone}
          visibleToasts={isPhone ? 1 : 4}
          mobileOffset={{ top: PHONE_TOP }}
          closeButton
          containerAriaLabel={t("common.notifications")}
          toastOptions={{ closeButtonAriaLabel: t("common.close") }}
        />
      )}
    </div>
  );
}
