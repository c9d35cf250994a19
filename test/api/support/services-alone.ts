import { readEnvironment } from "../../../api/environment.ts";
import type { Services } from "../../../api/services.ts";
import { standIn } from "../../testing/stand-in.ts";

/** Of an api that is not there: enough for what its routes say of themselves. */
export function servicesAlone(): Services {
  return standIn<Services>({
    environment: readEnvironment({}),
    network: "localhost",
    contracts: {},
    database: { kysely: {} },
    senders: {},
  });
}
