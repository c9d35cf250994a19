import { type ReactNode, useEffect, useRef } from "react";
import { LANGUAGES } from "../../core/rules/languages.ts";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { pageLanguage } from "../i18n/language.tsx";

let hasNavigated = false;

/** From the second page on, navigation focuses the heading, like a new page. */
export function noteNavigation(): void {
  hasNavigated = true;
}

/** Whether this is still the page that was opened, with the data it asked for itself. */
export const isFirstPage = (): boolean => !hasNavigated;

/** The page's heading: it takes the focus on navigation. */
export function PageHeading({ children, className = "page-title" }: { children: ReactNode; className?: string }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasNavigated) ref.current?.focus({ preventScroll: true });
  }, []);
  // What the build paints is no heading yet: a screen reader is told of the app's own.
  if (import.meta.env.SSR) return <p className={className}>{children}</p>;
  return (
    <h1 ref={ref} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}

/** Title and description of the page, for the tab and for shared links. */
export function usePageMeta(title: string, description: string): void {
  useEffect(() => {
    const full = `${title} · ${PRODUCT_NAME}`;
    document.title = full;
    setMeta('meta[property="og:title"]', full);
    setMeta('meta[name="description"]', description);
    setMeta('meta[property="og:description"]', description);
    document.querySelector('link[rel="canonical"]')?.setAttribute("href", location.origin + location.pathname);
    setMeta('meta[property="og:locale"]', LANGUAGES[pageLanguage()].openGraph);
  }, [title, description]);
}

function setMeta(selector: string, content: string): void {
  document.querySelector(selector)?.setAttribute("content", content);
}
