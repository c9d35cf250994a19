import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ApiEnvironment, readEnvironment as readApiEnvironment } from "../../api/environment.ts";
import { ensureDataDirectory, ensureDirectory, makeFilesPrivate } from "../../core/database/private-files.ts";
import { EnvironmentError, type Variables } from "../../core/process/environment.ts";
import { failureText } from "../../core/process/failure-text.ts";
import { portOf } from "../../core/process/listen.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import { polledAccounts } from "../../core/sales/accounts.ts";
import { accountsOf } from "../../core/sales/environment.ts";
import { readVariables as readIndexerVariables } from "../../indexer/environment.ts";
import { Children, type ChildSpecification, endLeftovers } from "./children.ts";
import { buildFrontend } from "./frontend-build.ts";
import { anvilArguments, beginAnew, findAnvil } from "./local-chain.ts";
import { runToEnd, StartError } from "./run-to-end.ts";

/** The sources have a folder `api` too. */
const OF_THE_API = "^/(api(?!/.*\\.tsx?(\\?|$))|healthz|readyz|metrics)";

type StartEnvironment = ApiEnvironment & { INDEXER_PORT: number };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Run by this Node: another one on the PATH may be too old for it. */
const HARDHAT = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 50;

export type SystemOptions = {
  /** Serves the web app from its sources. */
  isHot?: boolean;
  /** An extra step after the catalogue is filled, before anything is served. */
  prepare?: { name: string; work: (environment: StartEnvironment) => Promise<void> };
  /** The URL to print instead of the web app's. */
  address?: string;
  /** Closed at the end. */
  close?: () => Promise<void>;
};

/** Runs the whole system as configured, until Ctrl-C. Exits the process if it cannot. */
export async function runSystem(options: SystemOptions = {}): Promise<void> {
  makeFilesPrivate();
  try {
    await main(readEnvironment(process.env), options);
  } catch (error) {
    console.error(failureText(error));
    process.exit(1);
  }
}

async function main(environment: StartEnvironment, options: SystemOptions): Promise<void> {
  const started = performance.now();
  const dataDirectory = environment.DATA_DIR;
  prepareFolder(join(dataDirectory, "logs"));
  await endLeftovers(dataDirectory);
  const plan = await planSystem(environment, options);
  const children = new Children(dataDirectory, (message) => {
    console.error(message);
    void end(1);
  });
  const ending = new AbortController();
  const hotReload = new AsyncDisposableStack();
  const end = async (exitCode: number) => {
    if (ending.signal.aborted) return;
    ending.abort();
    console.log("\nStopping Torcida …");
    await hotReload.disposeAsync();
    await options.close?.();
    await children.endAll(plan.specifications);
    process.exit(exitCode);
  };
  // Whatever goes wrong here, nothing is left running.
  process.on("uncaughtException", (error) => {
    console.error(error.message);
    void end(1);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
  // npm can be killed without a word to what it runs.
  const { ppid } = process;
  if (process.env.npm_lifecycle_event !== undefined)
    setInterval(() => process.ppid !== ppid && void end(0), PARENT_MS).unref();

  try {
    await startInOrder(plan, children, hotReload);
    console.log(
      `\nTorcida is ready after ${seconds(started)}: ${options.address ?? plan.url}\nCtrl-C ends it; what happened stays in ${dataDirectory}/`,
    );
  } catch (error) {
    if (ending.signal.aborted) return;
    console.error(failureText(error));
    await end(1);
  }
}

const PARENT_MS = 1_000;

type Plan = Awaited<ReturnType<typeof planSystem>>;

async function planSystem(environment: StartEnvironment, { isHot = false, prepare }: SystemOptions) {
  const { network, DATA_DIR: dataDirectory } = environment;
  // A node configured by the operator is started by the operator.
  const startsChain = network === "localhost" && !process.env.RPC_URLS;
  await refuseTakenPorts(environment, startsChain);
  if (startsChain && !findAnvil()) console.log(beginAnew(dataDirectory, process.env.DATABASE_URL));
  // With hot reload the web app's server is in front of the api.
  const apiPort = isHot ? await freePort() : environment.PORT;
  const webFolder = resolve(dataDirectory, "web");
  const specifications = processes(environment, { startsChain, apiPort, webFolder });
  const url = `http://localhost:${environment.PORT}`;
  return { environment, isHot, prepare, startsChain, apiPort, webFolder, specifications, url };
}

/** The web app is built meanwhile. */
async function startInOrder(plan: Plan, children: Children, hotReload: AsyncDisposableStack): Promise<void> {
  const { environment, isHot, specifications, url } = plan;
  const build = isHot ? Promise.resolve() : step("Web app", () => buildWebApp(plan));
  // Awaited below; an earlier rejection must not count as unhandled.
  build.catch(() => {});
  await fillChainAndDatabase(plan, children);
  children.start(specification(specifications, "indexer"));
  await build;
  children.start(specification(specifications, "api"));
  for (const reader of specifications.filter(({ name }) => name === "affiliates")) children.start(reader);
  await step("Indexer", () =>
    until("the indexer", () => answers(`http://127.0.0.1:${environment.INDEXER_PORT}/readyz`)),
  );
  if (isHot) {
    const server = await serveWithHotReload({ root: ROOT, port: environment.PORT, apiPort: plan.apiPort });
    hotReload.defer(() => server.close());
  }
  await step("API", () =>
    until(
      "the api",
      async () => (await answers(`${url}/api`)) && (await answers(`${url}/readyz`)) && (await answers(url)),
    ),
  );
}

function buildWebApp({ environment, webFolder }: Plan) {
  const logFile = join(environment.DATA_DIR, "logs", "build.log");
  // The demo wallets' keys are public, so they exist on the local chain only.
  const mode = environment.network === "localhost" ? "development" : "production";
  return buildFrontend({ root: ROOT, mode, folder: webFolder, logFile });
}

async function fillChainAndDatabase(plan: Plan, children: Children): Promise<void> {
  const { environment, startsChain, specifications, prepare } = plan;
  const run = (name: string, ...words: string[]) =>
    runToEnd(process.execPath, [join(ROOT, `scripts/${name}.ts`), ...words], children.logFile(name));
  if (startsChain) {
    await step("Chain", async () => {
      children.start(specification(specifications, "chain"));
      await until("the local chain", () => chainAnswers(environment.CHAIN_PORT));
    });
  }
  if (environment.network === "localhost") await step("Contracts", () => run("deploy", "--network", "localhost"));
  await step("Catalogue", () => run("seed"));
  if (prepare) await step(prepare.name, () => prepare.work(environment));
}

function prepareFolder(folder: string): void {
  try {
    ensureDataDirectory(dirname(folder));
    ensureDirectory(folder);
  } catch (error) {
    throw new StartError(`The folder ${folder} could not be created (${messageOf(error)}); check DATA_DIR`);
  }
}

function processes(
  environment: StartEnvironment,
  { startsChain, apiPort, webFolder }: { startsChain: boolean; apiPort: number; webFolder: string },
): ChildSpecification[] {
  const node = (name: string, folder = name): ChildSpecification => ({
    name,
    command: process.execPath,
    arguments: [join(ROOT, folder, "main.ts")],
  });
  const api = { ...node("api"), env: { PORT: String(apiPort), WEB_DIR: webFolder } };
  const readers = polledAccounts(accountsOf(environment)).length > 0 ? [node("affiliates", "core/sales")] : [];
  if (!startsChain) return [node("indexer"), api, ...readers];
  const anvil = findAnvil();
  const stateFile = join(environment.DATA_DIR, "chain-state.json");
  const chain: ChildSpecification = anvil
    ? { name: "chain", command: anvil, arguments: anvilArguments(environment.CHAIN_PORT, stateFile), signal: "SIGINT" }
    : {
        name: "chain",
        command: process.execPath,
        arguments: [
          HARDHAT,
          "node",
          "--chain-id",
          String(environment.CHAIN_ID),
          "--port",
          String(environment.CHAIN_PORT),
        ],
        signal: "SIGINT",
      };
  return [chain, node("indexer"), api, ...readers];
}

function specification(all: readonly ChildSpecification[], name: string): ChildSpecification {
  const found = all.find((one) => one.name === name);
  if (!found) throw new Error(`There is no process ${name}`);
  return found;
}

async function refuseTakenPorts(environment: StartEnvironment, startsChain: boolean): Promise<void> {
  const always = ["PORT", "INDEXER_PORT"] as const;
  const taken: (keyof StartEnvironment & `${string}PORT`)[] = [];
  for (const name of startsChain ? ([...always, "CHAIN_PORT"] as const) : always) {
    if (await isTaken(environment[name])) taken.push(name);
  }
  if (taken.length === 0) return;
  const ports = taken.map((name) => `${environment[name]} (${name})`).join(" and ");
  const others = taken.map((name) => `${name}=${environment[name] + 1000}`).join(" ");
  throw new StartError(
    taken.length === 1
      ? `Port ${ports} is taken: end the program that uses it, or choose another, for example with ${others} before the command`
      : `Ports ${ports} are taken: end the programs that use them, or choose others, for example with ${others} before the command`,
  );
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const port = portOf(server);
      server.close(() => resolve(port));
    });
  });
}

async function isTaken(port: number): Promise<boolean> {
  for (const host of ["127.0.0.1", undefined]) {
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
    });
    if (!free) return true;
  }
  return false;
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  console.log(`… ${name}`);
  const since = performance.now();
  const result = await work();
  const remark = typeof result === "string" ? `, ${result}` : "";
  console.log(`✓ ${name} (${seconds(since)}${remark})`);
  return result;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline)
      throw new StartError(`${what} did not answer within ${READY_TIMEOUT_MS / 1000} s`);
    await delay(POLL_MS);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

async function chainAnswers(chainPort: number): Promise<boolean> {
  try {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
    const headers = { "content-type": "application/json" };
    return (await fetch(`http://127.0.0.1:${chainPort}`, { method: "POST", headers, body })).ok;
  } catch {
    return false;
  }
}

/**
 * Reads the configuration of `npm start` and of the processes it starts, so that every problem is reported before any
 * of them runs.
 * @throws EnvironmentError
 */
function readEnvironment(source: Variables): StartEnvironment {
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

/** Serves the web app from its sources with hot reload; every other path is proxied to the api. */
async function serveWithHotReload({
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
      // The page's own Host, for which a challenge is made.
      proxy: { [OF_THE_API]: { target: api, changeOrigin: false } },
    },
  });
  return server.listen();
}
