import { Suspense, useEffect, useRef } from "react";
import { Link, useSearchParams } from "react-router";
import { useAttention } from "../../api/queries.ts";
import { ErrorBoundary } from "../../app/error-boundary.tsx";
import { fetchAhead, fetched } from "../../app/fetched.tsx";
import { Skeletons } from "../../ui/skeleton.tsx";
import { WaitingCount } from "../badge.tsx";
import { viewHref } from "../list/list-address.ts";
import { withAllTexts } from "../panel-language.tsx";
import type { Attention } from "../shapes.ts";
import { type TextId, t } from "../texts.ts";
import style from "./dashboard-tab.module.css";

type View = ReturnType<typeof fetched> & { id: string; label: TextId; count?: (attention: Attention) => number };

const OVERVIEW: View = { id: "", label: "view.overview", ...fetched(() => import("./overview.tsx"), "Overview") };
const VIEWS: readonly View[] = [
  OVERVIEW,
  {
    id: "purchases",
    label: "view.purchases",
    ...fetched(() => withAllTexts(() => import("../purchases/purchases-view.tsx")), "PurchasesView"),
    count: (one) => one.held_purchases,
  },
  {
    id: "payments",
    label: "view.payments",
    ...fetched(() => withAllTexts(() => import("../payments/payments-view.tsx")), "PaymentsView"),
    count: (one) => one.failed_payments + one.waiting_payments,
  },
  {
    id: "approvals",
    label: "view.approvals",
    ...fetched(() => withAllTexts(() => import("../approvals/approvals-view.tsx")), "ApprovalsView"),
    count: (one) => one.open_approvals + one.refused_payouts + one.open_percents + (one.open_proposals ?? 0),
  },
  {
    id: "sales",
    label: "view.sales",
    ...fetched(() => withAllTexts(() => import("../sales/sales-view.tsx")), "SalesView"),
    count: (one) => one.held_sales + one.unmatched_sales,
  },
  {
    id: "claims",
    label: "view.claims",
    ...fetched(() => withAllTexts(() => import("../claims/claims-view.tsx")), "ClaimsView"),
    count: (one) => one.open_claims,
  },
  {
    id: "accounts",
    label: "view.accounts",
    ...fetched(() => withAllTexts(() => import("../accounts/accounts-view.tsx")), "AccountsView"),
    count: (one) => one.waiting_accounts + one.unset_credits,
  },
  {
    id: "margin",
    label: "view.margin",
    ...fetched(() => withAllTexts(() => import("./margin-view.tsx")), "MarginView"),
  },
  {
    id: "operations",
    label: "view.operations",
    ...fetched(() => withAllTexts(() => import("../payments/operations-view.tsx")), "OperationsView"),
    count: (one) => one.failed_operations,
  },
  {
    id: "clubs",
    label: "view.clubs",
    ...fetched(() => withAllTexts(() => import("../clubs/clubs-view.tsx")), "ClubsView"),
  },
  { id: "log", label: "view.log", ...fetched(() => withAllTexts(() => import("../log/log-view.tsx")), "LogView") },
];

/** The figures, and below them the lists for daily work. Each has its own URL. */
export function DashboardTab() {
  const [parameters] = useSearchParams();
  const attention = useAttention().data;
  const asked = parameters.get("view") ?? "";
  const selected = VIEWS.find(({ id }) => id === asked) ?? OVERVIEW;
  const { Screen } = selected;
  return (
    <>
      <nav ref={useCurrentInView(selected.id)} className={style.views} aria-label={t("dashboard.sections")}>
        {VIEWS.map(({ id, label, count, fetchNow }) => {
          const waiting = attention && count ? count(attention) : 0;
          return (
            <Link
              key={id}
              to={viewHref({ view: id })}
              replace
              preventScrollReset
              onPointerEnter={() => fetchAhead(fetchNow)}
              className={style.view}
              aria-current={id === selected.id ? "page" : undefined}
            >
              {t(label)}
              {waiting > 0 && <WaitingCount count={waiting} />}
            </Link>
          );
        })}
      </nav>
      <ErrorBoundary part={selected.id || "overview"} resetKey={selected.id}>
        <Suspense fallback={<Skeletons count={2} className="h-48" />}>
          <Screen key={selected.id} />
        </Suspense>
      </ErrorBoundary>
    </>
  );
}

/** On a phone the row of sections scrolls: the current one is kept in view. */
function useCurrentInView(selected: string) {
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again for another section
  useEffect(() => {
    const row = nav.current;
    const current = row?.querySelector<HTMLElement>("[aria-current]");
    if (row && current) row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
  }, [selected]);
  return nav;
}
