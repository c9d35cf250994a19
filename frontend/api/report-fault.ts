import { matchPath } from "react-router";
import type { z } from "zod";
import type { faultRequestSchema } from "../../core/rules/api/faults.ts";
import { PAGES } from "../app/pages.ts";

type Fault = Pick<z.input<typeof faultRequestSchema>, "kind" | "at" | "detail">;

/** A page that fails again and again says it this often. */
const REPORTS_A_PAGE_LOAD = 5;
const reported = new Set<string>();

/** Tells the operator of a fault of the app, once each; nothing of the user goes with it. docs/product.md#faults */
export function reportFault({ kind, at, detail }: Fault): void {
  const page = PAGES.find(({ path }) => matchPath(path, location.pathname))?.path ?? "*";
  const body = JSON.stringify({ kind, at: at.slice(0, 100), detail: detail.slice(0, 100), page });
  if (reported.size === REPORTS_A_PAGE_LOAD || reported.has(body)) return;
  reported.add(body);
  // Not `call`: it carries no session, and its failure concerns nobody.
  fetch("/api/faults", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    keepalive: true,
  }).catch(() => {});
}
