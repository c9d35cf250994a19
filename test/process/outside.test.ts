import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import pino from "pino";
import { AnswerTooLargeError, askOutside } from "../../core/process/outside.ts";
import { httpRate } from "../../core/rates/rate-feed.ts";
import { until } from "../testing/until.ts";

const MIB = 1024 * 1024;
/** 400 MiB of zeros in 400 kB. */
const BOMB = gzipSync(Buffer.alloc(400 * MIB));

describe("An answer from outside", function () {
  this.timeout(60_000);
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let url: string;
  let open: number;
  before(async () => {
    server = createServer((_request, response) => {
      open += 1;
      response.on("close", () => {
        open -= 1;
      });
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  beforeEach(() => {
    open = 0;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const failure = (asked: Promise<unknown>) => asked.then(() => undefined).catch((error: Error) => error);
  const sendBomb = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(BOMB);
  };

  it("is read up to 8 MiB after inflating, in bounded memory", async () => {
    answer = sendBomb;
    const before = process.memoryUsage.rss();
    expect(await failure(askOutside(url))).to.be.instanceOf(AnswerTooLargeError);
    expect((process.memoryUsage.rss() - before) / MIB).to.be.below(100);
    await until("the connection is closed", () => open === 0);
  });

  it("may have 8 MiB", async () => {
    answer = (response) => response.end(Buffer.alloc(8 * MIB));
    expect((await askOutside(url)).bytes).to.have.length(8 * MIB);
    answer = (response) => response.end(Buffer.alloc(8 * MIB + 1));
    expect(await failure(askOutside(url))).to.be.instanceOf(AnswerTooLargeError);
  });

  it("takes at most 10 seconds, however slowly it arrives", async () => {
    answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(timer));
    };
    const started = Date.now();
    expect(await failure(askOutside(url))).to.include({ name: "TimeoutError" });
    expect((Date.now() - started) / 1_000).to.be.within(9.5, 14);
    await until("the connection is closed", () => open === 0);
  });

  it("ends with the caller", async () => {
    answer = (response) => response.writeHead(200).write(" ");
    expect(await failure(askOutside(url, { signal: AbortSignal.timeout(100) }))).to.include({ name: "TimeoutError" });
  });

  it("leads nowhere else", async () => {
    answer = (response) => response.writeHead(302, { location: url }).end();
    expect(await failure(askOutside(url))).to.be.instanceOf(TypeError);
  });

  it("stops no rate feed: the next valid answer counts", async () => {
    answer = sendBomb;
    const rates = httpRate({
      url,
      refreshMs: 200,
      maximumAgeSeconds: 600,
      maximumJumpPercent: 20,
      memory: { read: async () => undefined, write: async () => {} },
      log: pino({ level: "silent" }),
    });
    const before = process.memoryUsage.rss();
    await until("the feed is refused", () => {
      const rate = rates.current();
      return rate.kind === "unavailable" && rate.reason.includes("8 MiB");
    });
    expect((process.memoryUsage.rss() - before) / MIB).to.be.below(100);
    answer = (response) => response.end(JSON.stringify({ wei_per_cent: "100", at: new Date().toISOString() }));
    await until("there is a rate", () => rates.current().kind === "rate");
    rates.stop();
  });
});
