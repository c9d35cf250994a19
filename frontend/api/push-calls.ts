import type { z } from "zod";
import type { choosePushRequestSchema, pushChoiceSchema, pushDeviceRequestSchema } from "../../core/rules/api/push.ts";
import type { Heard } from "./heard.ts";
import { call } from "./http.ts";

/* Messages to devices; apart, because most pages ask nothing of them. docs/product.md#push */

type PushChoice = Heard<z.infer<typeof pushChoiceSchema>>;

export function getPushChoice(): Promise<PushChoice> {
  return call("GET", "/api/me/push");
}

export function choosePush(choice: z.input<typeof choosePushRequestSchema>): Promise<PushChoice> {
  return call("PUT", "/api/me/push", choice);
}

export function addPushDevice(device: z.input<typeof pushDeviceRequestSchema>): Promise<{ id: number }> {
  return call("POST", "/api/me/push/devices", device);
}

export function endPushDevice(id: number): Promise<unknown> {
  return call("DELETE", `/api/me/push/devices/${id}`);
}
