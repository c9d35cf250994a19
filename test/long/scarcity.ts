import { setTimeout as delay } from "node:timers/promises";
import { administer, CONTRACTS_ADMIN, readAmount, sendMined, setLimits } from "../faults/support/contracts-admin.ts";
import type { FaultSystem } from "../faults/support/fault-system.ts";
import { between, pick, type Random } from "../faults/support/random.ts";
import { readyz } from "./witness.ts";

const CHZ = 10n ** 18n;
const CENT_IN_WEI = 10n ** 16n;
const WALLET_WEI = 1_000_000n * CHZ;
const POOL_WEI = 100_000n * CHZ;
const LOW_WALLET_WEI = 1_000n * CHZ;
const LOW_POOL_WEI = 10_000n * CHZ;
/** How long until `/readyz` names the shortage: a purchase is minted and confirmed first, on a busy machine. */
const SAID_MS = 60_000;
const LOOK_MS = 250;

type Shortage = "max_payout" | "day_cap" | "rate_too_high" | "pool_empty" | "wallet";
/** A shortage, and the warning expected in `/readyz`. */
const SHORTAGES: readonly [Shortage, RegExp][] = [
  ["max_payout", /\(max_payout\)/],
  // If little was spent today, the per-payout limit is reached first.
  ["day_cap", /\((day_cap|max_payout)\)/],
  ["rate_too_high", /\(rate_too_high\)/],
  ["pool_empty", /\(pool_empty\)/],
  ["wallet", /wallet cannot pay/],
];

/**
 * Sets a limit or the funds below what `buy` earns, and requires the api's `/readyz` to report it. The limits stay low;
 * the wallet is refilled, because nothing can be sent without it.
 * @returns a sentence about what was not reported
 */
export async function runOut(
  system: FaultSystem,
  random: Random,
  buy: () => Promise<unknown>,
): Promise<string | undefined> {
  const [shortage, sentence] = pick(random, SHORTAGES);
  await impose(system, shortage, random);
  await buy();
  const isSaid = await isToldBy(system, sentence);
  if (shortage === "wallet") await fillWallet(system);
  return isSaid ? undefined : `the api did not say ${shortage} within ${SAID_MS} ms`;
}

/** The admin raises every limit and refills the distributor. */
export async function relieve(system: FaultSystem): Promise<void> {
  await fillWallet(system);
  await setLimits(system);
  if ((await readAmount(system, "available")) >= LOW_POOL_WEI) return;
  await system.anvil.request("anvil_setBalance", CONTRACTS_ADMIN, hex(2n * POOL_WEI));
  const to = system.deployment.cashbackDistributor.address;
  await sendMined(system, { from: CONTRACTS_ADMIN, to, value: hex(POOL_WEI) });
}

/** A reorg may have undone the refill of the wallet. */
export async function fillWallet({ anvil }: FaultSystem): Promise<void> {
  const [operator = ""] = await anvil.request<string[]>("eth_accounts");
  const balance = BigInt(await anvil.request<string>("eth_getBalance", operator, "latest"));
  if (balance < LOW_WALLET_WEI) await anvil.request("anvil_setBalance", operator, hex(WALLET_WEI));
}

async function impose(system: FaultSystem, shortage: Shortage, random: Random): Promise<void> {
  const few = BigInt(between(random, 1, 10)) * CHZ;
  if (shortage === "max_payout") return setLimits(system, { maxPayout: few });
  if (shortage === "rate_too_high") return setLimits(system, { maxWeiPerCent: CENT_IN_WEI / 2n });
  if (shortage === "day_cap") {
    const spent = await readAmount(system, "spentToday");
    return setLimits(system, { maxPayout: spent + few, dailyCap: spent + few });
  }
  if (shortage === "pool_empty") {
    await setLimits(system);
    const available = await readAmount(system, "available");
    return available > few ? administer(system, "sweep", [CONTRACTS_ADMIN, available - few]) : undefined;
  }
  const [operator] = await system.anvil.request<string[]>("eth_accounts");
  await system.anvil.request("anvil_setBalance", operator, "0x0");
}

async function isToldBy({ api }: FaultSystem, sentence: RegExp): Promise<boolean> {
  const deadline = performance.now() + SAID_MS;
  while (performance.now() < deadline) {
    if (sentence.test((await readyz(api))?.text ?? "")) return true;
    await delay(LOOK_MS);
  }
  return false;
}

function hex(wei: bigint): `0x${string}` {
  return `0x${wei.toString(16)}`;
}
