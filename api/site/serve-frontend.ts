import { readFileSync } from "node:fs";
import { join } from "node:path";
import compression from "compression";
import express, { type RequestHandler, type Response } from "express";
import helmet from "helmet";
import { isOnOffer, listStores } from "../../catalogue/stores.ts";
import { chainOf } from "../../chain/chains.ts";
import { languageFrom } from "../../domain/languages.ts";
import { codeOf } from "../../domain/unknown-error.ts";
import type { Services } from "../services.ts";
import { appConfig } from "./app-config.ts";
import { generalHead, headOf, PUBLIC_PATHS, siteOrigin } from "./heads.ts";
import { withDeployment, withHead } from "./page.ts";
import { sharePictures } from "./share/share-pictures.ts";

const YEAR_S = 31_536_000;

/**
 * Serves the built web app: hashed files are cached permanently, every page is `index.html`, under a strict Content
 * Security Policy.
 */
export function serveFrontend(services: Services, directory: string): RequestHandler {
  const router = express.Router();
  const index = readIndex(directory);
  if (!index) services.log.warn(`${directory} contains no web app; \`npm run build\` creates it in dist/`);
  router.use(helmet(policy(services)));
  router.use(compression());
  router.use(
    express.static(directory, {
      index: false,
      redirect: false,
      setHeaders(response: Response, path: string) {
        const isHashed = path.startsWith(join(directory, "assets"));
        response.setHeader("cache-control", isHashed ? `public, max-age=${YEAR_S}, immutable` : "no-cache");
      },
    }),
  );
  router.get("/robots.txt", (request, response) => {
    response
      .type("text")
      .send(`User-agent: *\nDisallow: /api/\nSitemap: ${siteOrigin(services, request)}/sitemap.xml\n`);
  });
  router.get("/sitemap.xml", async (request, response) => {
    response.type("application/xml").send(await sitemap(services, siteOrigin(services, request)));
  });
  router.get("/share/*picture", sharePictures(services));
  router.use(async (request, response, next) => {
    const isPage = request.method === "GET" || request.method === "HEAD";
    const isFile = /\.[a-z0-9]{2,5}$/i.test(request.path);
    if (!isPage || isFile || !index) return next();
    const language = languageFrom(request.query.lang);
    // A page is served even without a database: the app shows what it cannot load.
    const head = await headOf(services, request.path, language).catch(() => generalHead(language));
    const html = withHead(index, head, { origin: siteOrigin(services, request), path: request.path, language });
    response.setHeader("cache-control", "no-cache");
    response.status(head.isMissing ? 404 : 200);
    response.type("html").send(withDeployment(html, appConfig(services)));
  });
  return router;
}

async function sitemap({ database }: Services, origin: string): Promise<string> {
  const stores = await listStores(database.kysely);
  const offered = stores.filter(isOnOffer);
  const paths = [...PUBLIC_PATHS, ...offered.map((store) => `/stores/${store.id}`)];
  const urls = paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
}

function readIndex(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, "index.html"), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
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
