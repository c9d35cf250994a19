/**
 * The whole system on this machine: local chain, contracts, catalogue, indexer, api with the web app. `--hot-reload`
 * (`npm run dev`) serves the web app from its sources. docs/product.md#local-start.
 */
import { runSystem } from "./start/system.ts";

await runSystem({ isHot: process.argv.includes("--hot-reload") });
