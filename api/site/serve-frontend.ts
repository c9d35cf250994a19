import { existsSync } from "node:fs";
import { join } from "node:path";
import compression from "compression";
import express, { type RequestHandler, type Response } from "express";
import helmet from "helmet";
import type { Services } from "../services.ts";

const YEAR_S = 31_536_000;

/** Serves the built web app: hashed files for ever, every page as `index.html`, under a strict policy. */
export function serveFrontend(services: Services, directory: string): RequestHandler {
  const router = express.Router();
  const index = join(directory, "index.html");
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
  router.use((request, response, next) => {
    const isPage = request.method === "GET" || request.method === "HEAD";
    const isFile = /\.[a-z0-9]{2,5}$/i.test(request.path);
    if (!isPage || isFile || !existsSync(index)) return next();
    response.setHeader("cache-control", "no-cache");
    response.sendFile(index);
  });
  return router;
}

/** Scripts only of our own; connections to us, the chain's RPC and wallets; pictures from any https address. */
function policy(services: Services): Parameters<typeof helmet>[0] {
  const isLocal = services.network === "localhost";
  const rpc = services.environment.RPC_URLS.map((url) => new URL(url).origin);
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:", "https:"],
        fontSrc: ["'self'", "data:"],
        connectSrc: ["'self'", ...(isLocal ? rpc : ["https:", "wss:"])],
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
