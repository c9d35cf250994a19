import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, useEffect, useRef } from "react";
import { BrowserRouter, Route, Routes, useLocation } from "react-router";
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
import { NotFound, PageMeta, SCREENS, useScreensAhead } from "./screens.tsx";

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

function Screens() {
  const { pathname } = useLocation();
  useScreensAhead();
  const first = useRef(pathname);
  if (first.current !== pathname) noteNavigation();
  useEffect(() => {
    if (first.current !== pathname) {
      scrollTo(0, 0);
      dismissStaleToasts();
    }
    first.current = pathname;
  }, [pathname]);
  if (renewsAt(pathname)) return <Waiting />;
  return (
    <ErrorBoundary resetKey={pathname}>
      <Suspense fallback={<Waiting />}>
        <Routes>
          {SCREENS.map(({ page, Screen }) => (
            <Route
              key={page.path}
              path={page.path}
              element={
                <>
                  <PageMeta page={page} />
                  <Screen />
                </>
              }
            />
          ))}
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
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
