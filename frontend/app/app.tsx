import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, useEffect, useLayoutEffect, useRef } from "react";
import { BrowserRouter, NavigationType, useLocation, useNavigationType, useRoutes } from "react-router";
import type { Language } from "../../core/rules/languages.ts";
import { queryClient } from "../api/queries.ts";
import { LanguageProvider } from "../i18n/language.tsx";
import { SessionProvider } from "../session/session.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { dismissStaleToasts } from "../ui/toast.ts";
import { Toasts } from "../ui/toasts.tsx";
import { WalletProvider } from "../wallet/wallet-provider.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Layout } from "./layout.tsx";
import { noteNavigation } from "./page.tsx";
import { renewsAt } from "./renewal.ts";
import { askAhead, ROUTES, useScreensAhead } from "./screens.tsx";

export function App({ language }: { language: Language }) {
  return (
    <LanguageProvider initial={language}>
      {/* Errors outside the screens, such as a dialog's code that cannot be fetched. */}
      <ErrorBoundary resetKey="">
        <QueryClientProvider client={queryClient}>
          {/* Not in a transition: text typed into a filter must appear immediately. */}
          <BrowserRouter useTransitions={false}>
            <WalletProvider>
              <SessionProvider>
                <Layout>
                  <Screens />
                </Layout>
                <Toasts />
              </SessionProvider>
            </WalletProvider>
          </BrowserRouter>
        </QueryClientProvider>
      </ErrorBoundary>
    </LanguageProvider>
  );
}

/** How far down each entry of the tab's history was read, by its key. */
const positions = new Map<string, number>();

function Screens() {
  const { pathname, search, key } = useLocation();
  const isBackOrForward = useNavigationType() === NavigationType.Pop;
  const screen = useRoutes(ROUTES);
  useScreensAhead();
  useEffect(() => {
    const note = () => positions.set(key, scrollY);
    addEventListener("scroll", note, { passive: true });
    return () => removeEventListener("scroll", note);
  }, [key]);
  const first = useRef(pathname);
  if (first.current !== pathname) noteNavigation();
  useLayoutEffect(() => {
    if (first.current === pathname) return;
    first.current = pathname;
    askAhead({ pathname, search });
    // A new page begins at its top; back and forward lead to where it was left.
    scrollTo(0, (isBackOrForward && positions.get(key)) || 0);
    dismissStaleToasts();
  }, [pathname, search, key, isBackOrForward]);
  if (renewsAt(pathname)) return <Waiting />;
  return (
    <ErrorBoundary resetKey={pathname}>
      <Suspense fallback={<Waiting />}>{screen}</Suspense>
    </ErrorBoundary>
  );
}

function Waiting() {
  return (
    <div className="page grid gap-4">
      <Skeletons count={1} className="h-12 max-w-md" />
      <div aria-hidden="true" className="skeleton h-64" />
    </div>
  );
}
