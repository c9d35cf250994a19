import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../../core/database/connect.ts";
import { linkStores } from "../../../scripts/rehearse/catalogue.ts";
import { Networks } from "../../../scripts/rehearse/networks.ts";
import { freePorts } from "../../testing/free-port.ts";
import { type FaultSystem, type FaultSystemOptions, startFaultSystem } from "./fault-system.ts";
import { type Supervised, supervise } from "./supervised.ts";

/** A system in live mode with its network reader, and simulated networks at which every sample store sells. */
export type LiveSystem = { system: FaultSystem; reader: Supervised; networks: Networks; stop(): Promise<void> };

export async function startLiveSystem(options: FaultSystemOptions): Promise<LiveSystem> {
  const directory = mkdtempSync(join(tmpdir(), "torcida-live-"));
  const [port = 0] = await freePorts(1);
  const networks = await Networks.open(join(directory, "networks.json"), `http://127.0.0.1:${port}`);
  const accounts = join(directory, "accounts.json");
  writeFileSync(accounts, JSON.stringify(networks.accounts()), { mode: 0o600 });
  const system = await startFaultSystem({
    ...options,
    environment: {
      PORT: String(port),
      AFFILIATES_PORT: "0",
      SIMULATED_PURCHASES: "false",
      AFFILIATE_ACCOUNTS: accounts,
      SALE_MIN_SECONDS: "0",
      SALES_PER_DAY_MAX: "1000",
      RATE_LIMIT_SCALE: "1000",
      LOG_LEVEL: "warn",
      ...options.environment,
    },
  });
  const database = await connect(system.databaseUrl);
  await linkStores(database, "https://shop.example").finally(() => database.close());
  const { environment } = system;
  const reader = supervise({ name: "affiliates", script: "core/sales/main.ts", url: "", environment });
  reader.start();
  return {
    system,
    reader,
    networks,
    async stop() {
      await reader.stop("SIGKILL");
      await system.stop();
      await networks.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
