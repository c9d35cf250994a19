import { fetched } from "./fetched.tsx";

const stores = fetched(() => import("../stores/stores.tsx"));
const auth = fetched(() => import("../auth/auth.tsx"));
const dashboard = fetched(() => import("../dashboard/dashboard.tsx"));
const redirect = fetched(() => import("../redirect/redirect.tsx"));
const admin = fetched(() => import("../admin/admin.tsx"));
const storePage = fetched(() => import("../stores/store-page.tsx"));
const ticketPage = fetched(() => import("../ticket/ticket-page.tsx"));
const transactionPage = fetched(() => import("../ticket/transaction-page.tsx"));
const help = fetched(() => import("../help/help-page.tsx"));
const profile = fetched(() => import("../profile/profile-page.tsx"));
const visits = fetched(() => import("../visits/visits-page.tsx"));
const proof = fetched(() => import("../proof/proof-page.tsx"));
const notFound = fetched(() => import("./not-found.tsx"));

export const Stores = stores.Screen;
export const Auth = auth.Screen;
export const Dashboard = dashboard.Screen;
export const Redirect = redirect.Screen;
export const Admin = admin.Screen;
export const StorePage = storePage.Screen;
export const TicketPage = ticketPage.Screen;
export const TransactionPage = transactionPage.Screen;
export const Help = help.Screen;
export const ProfilePage = profile.Screen;
export const Visits = visits.Screen;
export const Proof = proof.Screen;
export const NotFound = notFound.Screen;

const BY_PATH: Record<string, typeof stores> = { "/stores": stores, "/auth": auth, "/dashboard": dashboard };

/** Preloads the code of the first page. A failure occurs again, and is shown, when it is rendered. */
export async function fetchFirstScreen(path: string): Promise<void> {
  const screen =
    BY_PATH[path] ?? (path.startsWith("/stores/") ? storePage : path.startsWith("/ticket/") ? ticketPage : undefined);
  await screen?.fetchNow().catch(() => {});
}
