import compression from "compression";
import express, { type RequestHandler } from "express";
import helmet from "helmet";
import { listOfferedClubs, listOfferedIds } from "../../core/catalogue/store-list.ts";
import { chainOf } from "../../core/chain/chains.ts";
import { languageFrom } from "../../core/rules/languages.ts";
import type { Template } from "../../core/rules/template.ts";
import { SLUG_PATTERN, searchKey } from "../../core/rules/text.ts";
import { PERMISSIONS_POLICY } from "../http/security-headers.ts";
import type { Services } from "../services.ts";
import { appConfig } from "./app-config.ts";
import { headOf, missingHead, ownHead, siteOrigin } from "./heads.ts";
import { pageOf, sitemapOf } from "./page.ts";
import { listedPaths, readWebApp, type SitePage } from "./pages.ts";
import { sharePictures } from "./share/share-pictures.ts";
import type { SharedFiles } from "./shared-files.ts";
import { serveStaticFiles } from "./static-files.ts";

const YEAR_S = 31_536_000;

/**
 * Serves the built web app: hashed files are cached permanently, every page comes as the build made it, under a strict Content
 * Security Policy.
 */
export function serveFrontend(services: Services, directory: string, files: SharedFiles): RequestHandler {
  const router = express.Router();
  const app = readWebApp(directory);
  if (!app) services.log.warn(`${directory} contains no web app; \`npm run build\` creates it in dist/`);
  router.use(helmet(policy(services)));
  router.use((_request, response, next) => {
    response.setHeader("permissions-policy", PERMISSIONS_POLICY);
    next();
  });
  router.use(serveStaticFiles(files.own, (path) => files.find(path)));
  router.use(compression());
  router.get("/robots.txt", (request, response) => {
    response
      .type("text")
      .send(`User-agent: *\nDisallow: /api/\nSitemap: ${siteOrigin(services, request)}/sitemap.xml\n`);
  });
  router.get("/sitemap.xml", async (request, response) => {
    const origin = siteOrigin(services, request);
    response.type("application/xml").send(await sitemap(services, { pages: app?.pages ?? [], origin }));
  });
  router.get(/^\/sitemap-([1-9]\d{0,4})\.xml$/, async (request, response, next) => {
    const [part] = Object.values(request.params).map(Number);
    const origin = siteOrigin(services, request);
    const text = await sitemap(services, { pages: app?.pages ?? [], origin, ...(part ? { part } : {}) });
    if (text === undefined) return next();
    response.type("application/xml").send(text);
  });
  router.get("/share/*picture", sharePictures(services));
  router.get("/clubs", (_request, response) => response.redirect("/clubs/table"));
  // As somebody types it.
  router.get("/clubs/:slug", (request, response, next) => {
    const slug = searchKey(request.params.slug).split(" ").join("-");
    if (slug === request.params.slug || !SLUG_PATTERN.test(slug)) return next();
    response.redirect(301, `/clubs/${slug}${new URL(request.url, "http://localhost").search}`);
  });
  if (app) for (const page of app.pages) router.get(page.path, servePage(services, app.missing, page));
  if (app) router.use(servePage(services, app.missing));
  return router;
}

/** Answers with the app under the head of a page; of what does not exist, and without a page, as `missing`. */
function servePage(services: Services, missing: Template, page?: SitePage): RequestHandler {
  return async (request, response, next) => {
    const isFile = /\.[a-z0-9]{2,5}$/i.test(request.path);
    if ((request.method !== "GET" && request.method !== "HEAD") || isFile) return next();
    const language = languageFrom(request.query.lang);
    const subject = String(Object.values(request.params)[0] ?? "");
    // A page is served even without a database: the app shows what it cannot load.
    const head = page
      ? await headOf(services, page, subject, language).catch(() => ownHead(page, language))
      : missingHead(language);
    response.setHeader("cache-control", "no-cache");
    response.status(head.isMissing ? 404 : 200);
    const html = page && !head.isMissing ? page.html : missing;
    const at = { origin: siteOrigin(services, request), path: request.path, language, config: appConfig(services) };
    response.type("html").send(pageOf(html, head, at));
  };
}

async function sitemap(
  { database }: Services,
  { pages, origin, part }: { pages: SitePage[]; origin: string; part?: number },
): Promise<string | undefined> {
  const [ids, clubs] = await Promise.all([listOfferedIds(database.reader), listOfferedClubs(database.reader)]);
  const found = [...clubs.map((slug) => `/clubs/${slug}`), ...ids.map((id) => `/stores/${id}`)];
  return sitemapOf([...listedPaths(pages), ...found], origin, part);
}

const WALLETCONNECT_RELAY = "wss://relay.walletconnect.org";
const WALLETCONNECT_VERIFY = ["https://verify.walletconnect.org", "https://verify.walletconnect.com"];

/**
 * Only our own scripts and styles, connections to us and the chain's public RPC, pictures from any https URL, and what the
 * operator configured: the web-analytics script, WalletConnect's relay.
 */
function policy(services: Services): Parameters<typeof helmet>[0] {
  const { environment, network } = services;
  const isLocal = network === "localhost";
  const rpc = (isLocal ? environment.RPC_URLS : chainOf(network).rpcUrls.default.http).map(urlOrigin);
  const analytics = originsOf(environment.VITE_ANALYTICS_URL);
  const hasWalletConnect = environment.VITE_WALLETCONNECT_PROJECT_ID !== undefined;
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...analytics],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", "data:", "https:"],
        fontSrc: ["'self'", "data:"],
        connectSrc: ["'self'", ...rpc, ...analytics, ...(hasWalletConnect ? [WALLETCONNECT_RELAY] : [])],
        frameSrc: hasWalletConnect ? WALLETCONNECT_VERIFY : ["'none'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        ...(isLocal ? {} : { upgradeInsecureRequests: [] }),
      },
    },
    strictTransportSecurity: isLocal ? false : { maxAge: YEAR_S },
    referrerPolicy: { policy: "strict-origin-when-cross-origin" },
  };
}

const urlOrigin = (url: string): string => new URL(url).origin;

/** The origin of an absolute URL; a path on our own host needs none. */
const originsOf = (url: string | undefined): string[] => (url && URL.canParse(url) ? [urlOrigin(url)] : []);
