import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./free-port.ts";
import { until } from "./until.ts";
import { copyWebApp } from "./web-app.ts";

export type Torcida = {
  /** The URL of the web app and the API. */
  url: string;
  rpcUrl: string;
  indexerUrl: string;
  dataDirectory: string;
  environment: Record<string, string>;
  output(): string;
  /** The current process id of one of its parts. */
  pidOf(name: "chain" | "indexer" | "api"): number;
  /** Sends Ctrl-C; returns the exit code. */
  stop(): Promise<number>;
};

/** A separate folder and ports, so that systems can run in parallel. */
export async function systemEnvironment(): Promise<Record<string, string>> {
  const [port, chainPort, indexerPort] = await freePorts(3);
  const dataDirectory = mkdtempSync(join(tmpdir(), "torcida-"));
  return {
    PORT: String(port),
    CHAIN_PORT: String(chainPort),
    INDEXER_PORT: String(indexerPort),
    AFFILIATES_PORT: "0",
    DATA_DIR: dataDirectory,
    DEPLOYMENTS_DIR: join(dataDirectory, "deployments"),
    // A test asks for a change far more often than a page does.
    RATE_LIMIT_SCALE: "100",
  };
}

/**
 * Runs `npm start`, or the command of another script, until it prints its URL. With an earlier system's environment, it
 * continues with its data.
 */
export async function startTorcida(
  environment: Record<string, string>,
  options: readonly string[] = [],
  script: "scripts/start.ts" | "scripts/rehearse.ts" = "scripts/start.ts",
): Promise<Torcida> {
  if (environment.DATA_DIR) copyWebApp(environment.DATA_DIR);
  const child = spawn(process.execPath, [script, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  const dataDirectory = environment.DATA_DIR ?? "";
  const torcida: Torcida = {
    url: `http://localhost:${environment.PORT}`,
    rpcUrl: `http://127.0.0.1:${environment.CHAIN_PORT}`,
    indexerUrl: `http://127.0.0.1:${environment.INDEXER_PORT}`,
    dataDirectory,
    environment,
    output: () => output,
    pidOf: (name) => JSON.parse(readFileSync(join(dataDirectory, "processes.json"), "utf8"))[name],
    stop: () => interrupt(child),
  };
  const isReady = () => (child.exitCode === null ? output.includes("Torcida is ready") : "ended");
  const outcome = await until("Torcida is ready", isReady, 180_000).catch((error: Error) => error.message);
  if (outcome !== true) {
    await interrupt(child);
    throw new Error(`${outcome}\n${output}`);
  }
  return torcida;
}

export function removeData(torcida: Torcida): void {
  rmSync(torcida.dataDirectory, { recursive: true, force: true });
}

async function interrupt(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null) return child.exitCode;
  const closed = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)));
  child.kill("SIGINT");
  return closed;
}
