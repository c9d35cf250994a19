import { HELP_TOPICS } from "../help/help-topics.ts";
import type { MessageId } from "../i18n/language.tsx";

/** A page of the web app. docs/product.md#routes */
export type Page = {
  /** As React Router and Express read it: `:name` is one part of the path. */
  path: string;
  /** The file of its screen in `frontend/`, without `.tsx`; its default export is the component. */
  screen: string;
  title: MessageId;
  description: MessageId;
  /** What the last part of the path names: the api takes title and preview from it, and answers 404 if it does not exist. */
  about?: "store" | "ticket" | "transaction" | "club";
  /** Search engines list what anyone may see. */
  who: "anyone" | "user" | "admin";
  /** Says texts that not every page loads: which of them. */
  saysLater?: "later" | "fans" | "club";
  /** What it asks the api for first, which is requested while its code is fetched (`LOADERS` in `screens.tsx`). */
  asks?: "featured" | "stores" | "store" | "ticket" | "me";
};

/**
 * Every page, in one table: the router, tab titles, previews, sitemap, 404, first paint and preloading follow it. The
 * build writes it for the api into `.vite/pages.json` (`vite.config.ts`, `api/site/pages.ts`).
 */
export const PAGES: Page[] = [
  {
    path: "/",
    screen: "home/home-page",
    title: "home.meta",
    description: "home.hero.text",
    who: "anyone",
    asks: "featured",
  },
  {
    path: "/stores",
    screen: "stores/stores-page",
    title: "stores.title",
    description: "stores.description",
    who: "anyone",
    asks: "stores",
  },
  {
    path: "/stores/:storeId",
    screen: "stores/store-page",
    title: "stores.title",
    description: "stores.description",
    about: "store",
    who: "anyone",
    asks: "store",
  },
  {
    path: "/offers",
    screen: "stores/offers-page",
    title: "offers.title",
    description: "offers.lead",
    who: "anyone",
    saysLater: "later",
  },
  {
    path: "/redirect/:storeId",
    screen: "stores/redirect-page",
    title: "redirect.title",
    description: "redirect.warning",
    about: "store",
    who: "anyone",
    asks: "store",
  },
  {
    path: "/go",
    screen: "stores/go-page",
    title: "go.title",
    description: "go.lead",
    who: "anyone",
    saysLater: "later",
  },
  {
    path: "/ticket/:tokenId",
    screen: "ticket/ticket-page",
    title: "ticketPage.meta",
    description: "ticketPage.description",
    about: "ticket",
    who: "anyone",
    asks: "ticket",
  },
  {
    path: "/tx/:hash",
    screen: "ticket/transaction-page",
    title: "tx.title",
    description: "ticketPage.description",
    about: "transaction",
    who: "anyone",
  },
  {
    path: "/proof",
    screen: "proof/proof-page",
    title: "proofPage.title",
    description: "proofPage.text",
    who: "anyone",
  },
  { path: "/help", screen: "help/help-index-page", title: "help.topics", description: "help.lead", who: "anyone" },
  ...HELP_TOPICS.map(
    (topic): Page => ({
      path: `/help/${topic}`,
      screen: "help/help-page",
      title: `help.${topic}`,
      description: "help.lead",
      who: "anyone",
    }),
  ),
  {
    path: "/clubs/table",
    screen: "clubs/table-page",
    title: "fans.title",
    description: "fans.description",
    who: "anyone",
    saysLater: "fans",
  },
  {
    path: "/clubs/:slug",
    screen: "stores/club-page",
    title: "clubs.title",
    description: "clubs.description",
    about: "club",
    who: "anyone",
    saysLater: "club",
  },
  {
    path: "/c/:code",
    screen: "invite/invite-page",
    title: "invite.title",
    description: "invite.description",
    who: "anyone",
    saysLater: "later",
  },
  { path: "/auth", screen: "auth/auth-page", title: "auth.title", description: "auth.description", who: "anyone" },
  {
    path: "/dashboard",
    screen: "dashboard/dashboard-page",
    title: "dashboard.title",
    description: "dashboard.description",
    who: "user",
    asks: "me",
  },
  {
    path: "/profile",
    screen: "profile/profile-page",
    title: "profile.title",
    description: "profile.title",
    who: "user",
    asks: "me",
  },
  {
    path: "/visits",
    screen: "visits/visits-page",
    title: "visits.title",
    description: "visits.lead",
    who: "user",
    asks: "me",
  },
  { path: "/admin", screen: "admin/admin-page", title: "admin.meta", description: "admin.meta", who: "admin" },
];
