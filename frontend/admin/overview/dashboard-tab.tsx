import { useEffect, useRef } from "react";
import { Link, useSearchParams } from "react-router";
import type { Attention } from "../../../domain/api/admin-figures.ts";
import { useAttention } from "../../api/attention.ts";
import { ErrorBoundary } from "../../app/error-boundary.tsx";
import { ApprovalsView } from "../approvals/approvals-view.tsx";
import { ClaimsView } from "../claims/claims-view.tsx";
import { viewHref } from "../list/list-address.ts";
import { LogView } from "../log/log-view.tsx";
import { OperationsView } from "../payments/operations-view.tsx";
import { PaymentsView } from "../payments/payments-view.tsx";
import { PurchasesView } from "../purchases/purchases-view.tsx";
import { SalesView } from "../sales/sales-view.tsx";
import { WaitingCount } from "../waiting-count.tsx";
import { MarginView } from "./margin-view.tsx";
import { Overview } from "./overview.tsx";

type View = { id: string; label: string; Content: () => React.ReactNode; count?: (attention: Attention) => number };

const OVERVIEW: View = { id: "", label: "Visão geral", Content: Overview };
const VIEWS: readonly View[] = [
  OVERVIEW,
  { id: "purchases", label: "Compras", Content: PurchasesView, count: (one) => one.held_purchases },
  {
    id: "payments",
    label: "Pagamentos",
    Content: PaymentsView,
    count: (one) => one.failed_payments + one.waiting_payments,
  },
  {
    id: "approvals",
    label: "Aprovações",
    Content: ApprovalsView,
    count: (one) => one.open_approvals + one.open_percents,
  },
  { id: "sales", label: "Vendas", Content: SalesView, count: (one) => one.held_sales + one.unmatched_sales },
  { id: "claims", label: "Reclamações", Content: ClaimsView, count: (one) => one.open_claims },
  { id: "margin", label: "Margem", Content: MarginView },
  { id: "operations", label: "Transações", Content: OperationsView, count: (one) => one.failed_operations },
  { id: "log", label: "Registro", Content: LogView },
];

/** The figures, and below them the lists for daily work. Each has its own URL. */
export function DashboardTab() {
  const [parameters] = useSearchParams();
  const attention = useAttention().data;
  const asked = parameters.get("view") ?? "";
  const selected = VIEWS.find(({ id }) => id === asked) ?? OVERVIEW;
  const { Content } = selected;
  return (
    <>
      <nav ref={useCurrentInView(selected.id)} className="views" aria-label="Seções do Dashboard">
        {VIEWS.map(({ id, label, count }) => {
          const waiting = attention && count ? count(attention) : 0;
          return (
            <Link
              key={id}
              to={viewHref({ view: id })}
              replace
              preventScrollReset
              className="view-link"
              aria-current={id === selected.id ? "page" : undefined}
            >
              {label}
              {waiting > 0 && <WaitingCount count={waiting} />}
            </Link>
          );
        })}
      </nav>
      <ErrorBoundary part={selected.id || "overview"} resetKey={selected.id}>
        <Content key={selected.id} />
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
