/**
 * Live sales without a real network: `npm run rehearse`. Each rehearsal is a file in `scripts/rehearse/` that exports
 * `rehearse()`, selected by its own option; the default is the shop on this machine. docs/sales.md.
 */

import { parseArgs } from "node:util";
import { failureText } from "../platform/failure-text.ts";
import { UsageError } from "../platform/usage-error.ts";

const DEFAULT = "shop";
const REHEARSALS: Record<string, () => Promise<{ rehearse: () => Promise<void> }>> = {
  [DEFAULT]: () => import("./rehearse/shop.ts"),
  spicy: () => import("./rehearse/spicy.ts"),
  "spicy-in-full": () => import("./rehearse/spicy.ts"),
};

try {
  const { values } = parseArgs({
    options: Object.fromEntries(Object.keys(REHEARSALS).map((name) => [name, { type: "boolean" as const }])),
  });
  const [name = DEFAULT, ...others] = Object.keys(values);
  if (others.length > 0) throw new UsageError(`Choose one of ${Object.keys(REHEARSALS).join(", ")}`);
  const { rehearse } = (await REHEARSALS[name]?.()) ?? {};
  await rehearse?.();
} catch (error) {
  console.error(failureText(error));
  process.exit(1);
}
