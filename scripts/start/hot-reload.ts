import { join } from "node:path";

/** The sources have a folder `api` too. */
const OF_THE_API = "^/(api(?!/.*\\.tsx?(\\?|$))|healthz|readyz|metrics)";

/** Serves the web app from its sources with hot reload; every other path is proxied to the api. */
export async function serveWithHotReload({
  root,
  port,
  apiPort,
}: {
  root: string;
  port: number;
  apiPort: number;
}): Promise<{ close(): Promise<void> }> {
  // Imported only here, because `npm start` builds in a separate process.
  const { createServer } = await import("vite");
  const api = `http://127.0.0.1:${apiPort}`;
  const server = await createServer({
    configFile: join(root, "vite.config.ts"),
    mode: "development",
    logLevel: "warn",
    server: {
      host: "127.0.0.1",
      port,
      strictPort: true,
      // Forwards the caller's Host header, because a sign-in message contains it.
      proxy: { [OF_THE_API]: api },
    },
  });
  return server.listen();
}
