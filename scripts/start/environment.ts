import { type ApiEnvironment, readEnvironment as readApiEnvironment } from "../../api/environment.ts";
import { readVariables as readIndexerVariables } from "../../indexer/environment.ts";
import { EnvironmentError, type Variables } from "../../platform/environment.ts";

export type StartEnvironment = ApiEnvironment & { INDEXER_PORT: number };

/**
 * Reads the configuration of `npm start` and of the processes it starts, so that every problem is reported before any
 * of them runs.
 * @throws EnvironmentError
 */
export function readEnvironment(source: Variables): StartEnvironment {
  const [api, indexer] = [attempt(() => readApiEnvironment(source)), attempt(() => readIndexerVariables(source))];
  if (api.value && indexer.value) return { ...api.value, INDEXER_PORT: indexer.value.INDEXER_PORT };
  throw new EnvironmentError([...new Set([...api.lines, ...indexer.lines])].join("\n"));
}

function attempt<T>(read: () => T): { value?: T; lines: readonly string[] } {
  try {
    return { value: read(), lines: [] };
  } catch (error) {
    if (error instanceof EnvironmentError) return { lines: error.message.split("\n") };
    throw error;
  }
}
