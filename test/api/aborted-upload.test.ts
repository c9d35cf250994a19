import { createConnection } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pino from "pino";
import { isDatabaseAway } from "../../core/database/transaction.ts";
import { onBothEngines } from "../testing/databases.ts";
import { startInProcess } from "./support/in-process.ts";

describe("An upload that its sender aborts", () => {
  onBothEngines(({ open }) => {
    it("is not logged as a failure of the database, or of the server", async () => {
      const { database } = await open();
      const api = await startInProcess(database);
      const logged: string[] = [];
      const log = pino({ level: "warn" }, { write: (line: string) => logged.push(line) });
      Object.assign(api.services, { log });
      const { hostname, port } = new URL(api.url);
      for (let count = 0; count < 3; count++) {
        const socket = createConnection(Number(port), hostname);
        const head =
          "POST /api/check-user HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100";
        await new Promise<void>((resolve) => socket.write(`${head}\r\n\r\n{"address":`, () => resolve()));
        await delay(50);
        socket.destroy();
      }
      await delay(300);
      await api.stop();
      expect(logged).to.deep.equal([]);
    });
  });

  it("fails with codes that count only where the database failed", () => {
    for (const code of ["ECONNABORTED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "57P01"]) {
      expect(isDatabaseAway(Object.assign(new Error("request aborted"), { code })), code).to.equal(false);
    }
    expect(isDatabaseAway(new Error("The operation's timeout exceeded"))).to.equal(false);
  });
});
