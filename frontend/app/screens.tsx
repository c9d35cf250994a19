import { fetched } from "./fetched.tsx";

const stores = fetched(() => import("../stores/stores.tsx"));
const auth = fetched(() => import("../auth/auth.tsx"));
const dashboard = fetched(() => import("../dashboard/dashboard.tsx"));
const redirect = fetched(() => import("../redirect/redirect.tsx"));
const admin = fetched(() => import("../admin/admin.tsx"));
const notFound = fetched(() => import("../not-found/not-found.tsx"));

export const Stores = stores.Screen;
export const Auth = auth.Screen;
export const Dashboard = dashboard.Screen;
export const Redirect = redirect.Screen;
export const Admin = admin.Screen;
export const NotFound = notFound.Screen;

const BY_PATH: Record<string, typeof stores> = { "/stores": stores, "/auth": auth, "/dashboard": dashboard };

/** Preloads the code of the first page. A failure occurs again, and is shown, when it is rendered. */
export async function fetchFirstScreen(path: string): Promise<void> {
  await BY_PATH[path]?.fetchNow().catch(() => {});
}
