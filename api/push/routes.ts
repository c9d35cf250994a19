import { inTransaction } from "../../core/database/transaction.ts";
import { isLoopbackUrl } from "../../core/process/network-rules.ts";
import { doneSchema, isPublicHttpsUrl } from "../../core/rules/api/common.ts";
import {
  choosePushRequestSchema,
  pushChoiceSchema,
  pushDeviceRequestSchema,
  pushDeviceResponseSchema,
} from "../../core/rules/api/push.ts";
import { invalid, notFound } from "../http/api-error.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";
import { addDevice, choosePush, endDevice, readPushChoice } from "./devices.ts";

/** Messages to a user's devices: what they want, and which devices these are. docs/product.md#push */
export function pushRoutes({ database: { kysely }, environment }: Services): Route[] {
  const { isLocal, VAPID_KEY_FILE: keys } = environment;
  return [
    route.get("/api/me/push", {
      access: "user",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "What the signed-in user gets messages about, and the devices that get them",
      responses: { 200: pushChoiceSchema },
      handle: async ({ identity }) => ({ body: await readPushChoice(kysely, visitorOf(identity).wallet) }),
    }),
    route.put("/api/me/push", {
      access: "proven_user",
      cost: { thread: 1, node: 0, stored: 150, mail: 0 },
      summary: "Sets what the user gets messages about, on all devices",
      body: choosePushRequestSchema,
      responses: { 200: pushChoiceSchema },
      async handle({ identity, body }) {
        const { wallet } = visitorOf(identity);
        await choosePush(kysely, wallet, body);
        return { body: await readPushChoice(kysely, wallet) };
      },
    }),
    route.post("/api/me/push/devices", {
      access: "proven_user",
      cost: { thread: 1, node: 0, stored: 900, mail: 0 },
      summary: "Adds the browser that asks, by what its push service gave it; of more than ten the oldest goes",
      body: pushDeviceRequestSchema,
      failures: { 404: "This site sends no such messages" },
      responses: { 200: pushDeviceResponseSchema },
      async handle({ identity, body }) {
        if (!keys) throw notFound("A key for messages");
        const { endpoint } = body;
        // A push service has a name and the usual port: nobody has us look for others. On the local chain it may be here.
        const isHere = isLocal && /^https?:/.test(endpoint) && URL.canParse(endpoint) && isLoopbackUrl(endpoint);
        const isPublic = isPublicHttpsUrl(endpoint) && new URL(endpoint).port === "";
        if (!isHere && !isPublic) {
          throw invalid("endpoint must be a public https:// address", "endpoint", { rule: "public_link" });
        }
        const id = await inTransaction(kysely, (queries) => addDevice(queries, visitorOf(identity), body));
        return { body: { success: true, id: Number(id) } };
      },
    }),
    route.delete("/api/me/push/devices/:id", {
      access: "user",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "Ends the messages to one of the user's devices",
      failures: { 404: "No such device" },
      responses: { 200: doneSchema },
      async handle({ identity, params }) {
        const id = /^[1-9]\d{0,14}$/.test(params.id) ? BigInt(params.id) : 0n;
        if (!(await endDevice(kysely, visitorOf(identity).wallet, id))) throw notFound("Device");
        return { body: { success: true, message: "Device ended" } };
      },
    }),
  ];
}
