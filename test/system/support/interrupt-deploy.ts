import { expect } from "chai";
import type { DeployProcess } from "../../testing/deploy-run.ts";
import { until } from "../../testing/until.ts";
import type { RpcCall, RpcGate } from "./rpc-gate.ts";

const NOT_PASSED_ON = { error: { code: -32_000, message: "not passed on" } };

/** Kills a run at its n-th signed transaction, before the node got it or after. */
export async function killAt(gate: RpcGate, start: () => DeployProcess, count: number, isTaken: boolean) {
  let seen = 0;
  const killed = start();
  gate.before = ({ method }: RpcCall) => {
    if (method !== "eth_sendRawTransaction" || ++seen < count) return "pass";
    if (isTaken) return "never-answer";
    killed.child.kill("SIGKILL");
    return NOT_PASSED_ON;
  };
  if (isTaken) {
    await until("the node has it", () => gate.sent.length >= count);
    killed.child.kill("SIGKILL");
  }
  expect((await killed.ended).code, killed.output()).to.equal(null);
  gate.before = () => "pass";
}

type Run = () => Promise<{ code: number | null; output: string }>;

/** Lets a run reach no node any more from there on, so that it fails: it leaves the same files and transactions. */
export async function cutOffAt(
  gate: RpcGate,
  run: Run,
  count: number,
  isTaken: boolean,
  onSend?: (nth: number) => Promise<unknown>,
) {
  let seen = 0;
  gate.before = async ({ method }: RpcCall) => {
    if (seen === count) return NOT_PASSED_ON;
    if (method !== "eth_sendRawTransaction") return "pass";
    seen++;
    await onSend?.(seen);
    if (seen < count) return "pass";
    return isTaken ? "lose-answer" : NOT_PASSED_ON;
  };
  const { code, output } = await run();
  expect([code, seen], output).to.deep.equal([1, count]);
  gate.before = () => "pass";
}
