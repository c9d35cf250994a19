import { addPushDevice, endPushDevice } from "../api/push-calls.ts";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";

/* This browser's subscription to messages, and whose it is. docs/product.md#push */

const WORKER = "/offline-worker.js";

const stored = () => readStored(STORAGE_KEYS.push)?.split(" ") ?? [];

/** The id of this device at the server, if it is this wallet's; null if its browser gets no messages. */
export async function findDevice(wallet: string): Promise<number | null> {
  const [owner, id] = stored();
  return owner === wallet && (await findSubscription()) ? Number(id) : null;
}

/** Subscribes at the browser's push service, in answer to a tap. @throws if the browser or the server does not */
export async function addDevice(wallet: string, applicationServerKey: string): Promise<void> {
  if (!(await navigator.serviceWorker.getRegistration())) await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  // Of another wallet, or for another key.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  try {
    await tell(wallet, subscription);
  } catch (error) {
    await subscription.unsubscribe();
    throw error;
  }
}

async function tell(wallet: string, subscription: PushSubscription): Promise<number> {
  const { endpoint = "", keys = {} } = subscription.toJSON();
  const { p256dh = "", auth = "" } = keys;
  const { id } = await addPushDevice({ endpoint, keys: { p256dh, auth } });
  store(STORAGE_KEYS.push, `${wallet} ${id} ${endpoint}`);
  return id;
}

/**
 * The browser may have changed its subscription while no page was open, when its worker has no session to say so; or
 * ended it, with its permission.
 */
export async function keepDevice(wallet: string): Promise<void> {
  const [, id, endpoint] = stored();
  const subscription = await findSubscription();
  if (subscription && subscription.endpoint === endpoint) return;
  const next = subscription ? await tell(wallet, subscription) : undefined;
  if (next === undefined) store(STORAGE_KEYS.push, null);
  if (next !== Number(id)) await endPushDevice(Number(id));
}

/** Ends them at the service, too: whatever the server knows. */
export async function forgetDevice(): Promise<void> {
  store(STORAGE_KEYS.push, null);
  await (await findSubscription())?.unsubscribe();
}

async function findSubscription(): Promise<PushSubscription | null | undefined> {
  const worker = await navigator.serviceWorker?.getRegistration();
  return worker?.pushManager?.getSubscription();
}
