/** The image's health check: whether this container's process responds. The port depends on the process. */
const isIndexer = process.env.TORCIDA_PROCESS === "indexer";
const port = isIndexer ? (process.env.INDEXER_PORT ?? "3001") : (process.env.PORT ?? "3000");
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_500) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
