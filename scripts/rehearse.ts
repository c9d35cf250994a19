/**
 * Real sales, tried without a network: `npm run rehearse`. Each rehearsal is a file of `scripts/rehearse/` that exports
 * `rehearse()`, and an option of its own chooses it; without an option it is the shop on this machine. docs/sales.md.
 */
import { parseArgs } from "node:util";

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
  if (others.length > 0) throw new Error(`Choose one of ${Object.keys(REHEARSALS).join(", ")}`);
  const { rehearse } = (await REHEARSALS[name]?.()) ?? {};
  await rehearse?.();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
