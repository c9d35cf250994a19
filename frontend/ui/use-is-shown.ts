import { useCallback, useEffect, useRef } from "react";

/**
 * Whether a component is still on screen. A dialog asks when its request is answered: once it was cancelled, it must not
 * close, announce or leave what is open now.
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
