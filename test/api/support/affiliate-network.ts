import { createHmac } from "node:crypto";
import type { Answer } from "../../testing/shopper.ts";
import { AFFILIATE_SECRET, type ApiSystem } from "./system.ts";

let saleCount = 0;

/** An approved sale of R$ 100 with R$ 12 of commission, for `tell`; each sale gets its own key. */
export function approvedSale(click_id: string | null, differing: Record<string, unknown> = {}) {
  saleCount += 1;
  return {
    event_id: `event-${saleCount}`,
    sale_key: `key-${saleCount}`,
    click_id,
    status: "approved",
    payable: true,
    amount: "100.00",
    commission: "12.00",
    order_ref: `O-${saleCount}`,
    changed_at: Date.now(),
    ...differing,
  };
}

export type Letter = {
  network?: string;
  secret?: string;
  /** The signed time, in seconds; now by default. */
  atS?: number;
  /** The signed body, if it differs from the sent one. */
  signed?: string;
  headers?: Record<string, string>;
};

/** Sends a report like an affiliate network, signed over the time and the body's bytes. */
export function tell(system: Pick<ApiSystem, "anonymous">, event: unknown, letter: Letter = {}): Promise<Answer> {
  const body = typeof event === "string" ? event : JSON.stringify(event);
  const timestamp = String(Math.floor(letter.atS ?? Date.now() / 1_000));
  const signature = createHmac("sha256", letter.secret ?? AFFILIATE_SECRET)
    .update(`${timestamp}.${letter.signed ?? body}`)
    .digest("hex");
  return system.anonymous().send("POST", `/api/hooks/affiliate/${letter.network ?? "awin"}`, body, {
    "x-torcida-timestamp": timestamp,
    "x-torcida-signature": signature,
    ...letter.headers,
  });
}
