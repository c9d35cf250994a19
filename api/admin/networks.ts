import { listUnreadRows } from "../../affiliates/unread-rows.ts";
import { networksResponseSchema } from "../../domain/api/admin-networks.ts";
import { isoTime } from "../../domain/iso-time.ts";
import { NO_STORE } from "../http/answers.ts";
import { type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";

/** What networks and feeds sent that waits for a person. docs/product.md#sales-unread */
export function networkRoutes({ database: { reader } }: Services): Route[] {
  return [
    route({
      method: "get",
      path: "/api/admin/networks",
      access: "admin",
      summary: "What networks sent that could not be read",
      responses: { 200: networksResponseSchema },
      async handle() {
        const rows = await listUnreadRows(reader);
        const unread_rows = rows.map(({ network, account, sale_key, text, problem, first_at, retry_at }) => ({
          ...{ network, account, sale_key, text, problem },
          first_at: isoTime(first_at),
          retry_at: sale_key === null ? null : isoTime(retry_at),
        }));
        return { body: { success: true, unread_rows }, headers: NO_STORE };
      },
    }),
  ];
}
