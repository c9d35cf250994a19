import { type RefObject, useEffect, useState } from "react";

/** Half a screen further down: it is ready when a reader comes to it. */
const AHEAD = { rootMargin: "50% 0px" };

/** Whether an element has come into view, or nearly; true from then on. */
export function useSeen(ref: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || !ref.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((one) => one.isIntersecting)) setSeen(true);
    }, AHEAD);
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isSeen, ref]);
  return isSeen;
}
