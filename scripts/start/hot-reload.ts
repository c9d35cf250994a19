import { join } from "node:path";

/** The sources have a folder `api` too. */
const OF_THE_API = "^/(api(?!/.*\\.tsx?(\\?|$))|healthz|readyz|metrics)";

/** The web app from its sources, each change shown at once; every other address is the api's. */
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
      // Passes on the caller's Host header, because a sign-in message names it.
      proxy: { [OF_THE_API]: api },
    },
  });
  return server.listen();
}
