import type { z } from "zod";
import type { Queries } from "../../core/database/transaction.ts";
import type { choosePushRequestSchema, pushDeviceRequestSchema } from "../../core/rules/api/push.ts";
import { MAIL_TOPIC_NAMES } from "../../core/rules/events.ts";
import { languageFrom } from "../../core/rules/languages.ts";
import { idsOf } from "../../core/rules/records.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";

/* Who wants messages about what, and on which devices. docs/product.md#push */

/** The oldest goes. docs/product.md#push */
const MOST_DEVICES = 10;

/** What a wallet wants, and the ids of its devices, the newest first. docs/product.md#push */
export async function readPushChoice(queries: Queries, wallet: WalletAddress) {
  const reader = await queries.selectFrom("push_readers").selectAll().where("wallet", "=", wallet).executeTakeFirst();
  const chosen = new Set(reader?.topics.split(" "));
  return {
    success: true as const,
    topics: MAIL_TOPIC_NAMES.filter((name) => chosen.has(name)),
    language: languageFrom(reader?.language),
    show_amounts: reader?.show_amounts === 1n,
    devices: (await listDevices(queries, wallet)).map(Number),
  };
}

async function listDevices(queries: Queries, wallet: WalletAddress): Promise<bigint[]> {
  const devices = queries.selectFrom("push_devices").select("id").where("wallet", "=", wallet);
  return idsOf(await devices.orderBy("id", "desc").execute());
}

/** Sets what a wallet wants on its devices. docs/product.md#push */
export async function choosePush(
  queries: Queries,
  wallet: WalletAddress,
  { topics, language, show_amounts }: z.output<typeof choosePushRequestSchema>,
): Promise<void> {
  const chosen = { topics: topics.join(" "), language, show_amounts: show_amounts ? 1n : 0n };
  await queries
    .insertInto("push_readers")
    .values({ wallet, ...chosen })
    .onConflict((conflict) => conflict.column("wallet").doUpdateSet(chosen))
    .execute();
}

/**
 * Adds a device, or changes it: a browser has one endpoint, and is its last wallet's. docs/product.md#push
 */
export async function addDevice(
  queries: Queries,
  { wallet, tokenHash }: { wallet: WalletAddress; tokenHash: string },
  { endpoint, keys }: z.output<typeof pushDeviceRequestSchema>,
): Promise<bigint> {
  // Another row than before: what waited for who had this browser is not for who has it now.
  await queries.deleteFrom("push_devices").where("endpoint", "=", endpoint).where("wallet", "<>", wallet).execute();
  const device = { session_hash: tokenHash, p256dh: keys.p256dh, auth: keys.auth, created_at: BigInt(Date.now()) };
  const { id } = await queries
    .insertInto("push_devices")
    .values({ wallet, endpoint, ...device })
    .onConflict((conflict) => conflict.column("endpoint").doUpdateSet({ wallet, ...device }))
    .returning("id")
    .executeTakeFirstOrThrow();
  const others = (await listDevices(queries, wallet)).filter((one) => one !== id);
  const ended = others.slice(MOST_DEVICES - 1);
  if (ended.length > 0) await queries.deleteFrom("push_devices").where("id", "in", ended).execute();
  return id;
}

/** Ends one of a wallet's devices, with what waits for it; false if it has no such. docs/product.md#push */
export async function endDevice(queries: Queries, wallet: WalletAddress, id: bigint): Promise<boolean> {
  const device = queries.deleteFrom("push_devices").where("wallet", "=", wallet).where("id", "=", id);
  return (await device.executeTakeFirst()).numDeletedRows === 1n;
}

/** Ends the devices that a session added. docs/product.md#push */
export async function endDevicesOfSession(queries: Queries, tokenHash: string): Promise<void> {
  await queries.deleteFrom("push_devices").where("session_hash", "=", tokenHash).execute();
}

/** Ends a wallet's devices, or all but those that a session added. docs/product.md#push */
export async function endDevices(queries: Queries, wallet: WalletAddress, exceptSession = ""): Promise<void> {
  await queries
    .deleteFrom("push_devices")
    .where("wallet", "=", wallet)
    .where("session_hash", "<>", exceptSession)
    .execute();
}

/** In a database that is older than it was, devices that were ended since are there again. docs/product.md#push */
export async function endAllDevices(queries: Queries): Promise<void> {
  await queries.deleteFrom("push_devices").execute();
}

/** Deletes a person's devices, and what they wanted on them. docs/product.md#erase */
export async function erasePush(queries: Queries, wallet: WalletAddress): Promise<void> {
  await endDevices(queries, wallet);
  await queries.deleteFrom("push_readers").where("wallet", "=", wallet).execute();
}
