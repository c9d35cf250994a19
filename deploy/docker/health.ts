/** The image's health check: whether this container's process responds. The port depends on the process. */
const { TORCIDA_PROCESS, PORT, INDEXER_PORT, AFFILIATES_PORT } = process.env;
const own = TORCIDA_PROCESS === "indexer" ? (INDEXER_PORT ?? "3001") : (AFFILIATES_PORT ?? "3002");
const port = TORCIDA_PROCESS ? own : (PORT ?? "3000");
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_500) }).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);
