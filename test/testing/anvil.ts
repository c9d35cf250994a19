import { type ChildProcess, spawn } from "node:child_process";
import { anvilArguments, findAnvil } from "../../scripts/start/local-chain.ts";
import { freePorts } from "./free-port.ts";
import { until } from "./until.ts";

export type Anvil = {
  rpcUrl: string;
  webSocketUrl: string;
  port: number;
  pid: number;
  /** Any JSON-RPC call; throws the node's error. */
  request<T = unknown>(method: string, ...parameters: unknown[]): Promise<T>;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

export type AnvilOptions = {
  /** A fixed port, to restart a node on the same one. */
  port?: number;
  /** The file of its state; in memory without it. */
  stateFile?: string;
  /** Writes that file only when it ends, not every two seconds: tens of thousands of tokens would keep a core busy. */
  savesAtEnd?: boolean;
  /** Mines only on transactions and on `anvil_mine`, not every second. */
  manualBlocks?: boolean;
  /** Another hardfork than the current one. */
  hardfork?: string;
  /** Another chain than Spicy. */
  chainId?: number;
  extraArguments?: readonly string[];
};

/** A real local chain with Spicy's id, on a free port, ended by its process id. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const binary = findAnvil();
  if (!binary) throw new Error("There is no anvil for this machine: install Foundry, or use x64 Linux");
  const port = options.port ?? (await freePorts(1))[0] ?? 0;
  const all = anvilArguments(port, options.stateFile ?? "");
  const saved = options.savesAtEnd ? without(all, "--state-interval") : all;
  const kept = options.stateFile ? saved : without(all, "--state", "--state-interval");
  const args = options.manualBlocks ? without(kept, "--block-time").filter((one) => one !== "--mixed-mining") : kept;
  const ruled = options.hardfork ? [...without(args, "--hardfork"), "--hardfork", options.hardfork] : args;
  const numbered = options.chainId ? [...without(ruled, "--chain-id"), "--chain-id", String(options.chainId)] : ruled;
  // Nobody reads the state of a block 500 back; on the disk it would cost as much as mining, and stay there after a kill.
  const { extraArguments = [] } = options;
  const history = extraArguments.includes("--prune-history") ? [] : ["--max-persisted-states", "0"];
  const child = spawn(binary, [...numbered, ...history, ...extraArguments], { stdio: "ignore" });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const anvil: Anvil = {
    rpcUrl,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    request: (method, ...parameters) => request(rpcUrl, method, parameters),
    stop: (signal = "SIGINT") => stop(child, signal),
  };
  await until("anvil answers", () => anvil.request("eth_chainId"));
  return anvil;
}

/** Drops flags and their values. */
function without(args: readonly string[], ...flags: string[]): string[] {
  return args.filter((one, index) => !flags.includes(one) && !flags.includes(args[index - 1] ?? ""));
}

async function request<T>(rpcUrl: string, method: string, parameters: unknown[]): Promise<T> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: parameters }),
  });
  const answer = (await response.json()) as { result: T; error?: { message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.kill(signal);
  await closed;
}
