import { useCallback, useEffect, useRef } from "react";

/**
 * Whether a component is still on screen. A dialog checks it when its response arrives: after a cancel it must not
 * close another dialog, show a toast or navigate.
 */
export function useIsShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useCallback(() => isShown.current, []);
}
