import { createSocket, type Socket } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import pino from "pino";
import { AnswerTooLargeError, askOutside, postToStranger } from "../../core/process/outside.ts";
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

describe("A name that a stranger gave", function () {
  this.timeout(60_000);
  const { resolve4 } = Resolver.prototype;
  let server: Socket;
  const asked: string[] = [];
  before(async () => {
    server = createSocket("udp4");
    server.on("message", (question, from) => {
      const name = nameIn(question);
      asked.push(name);
      if (name.startsWith("inside.")) server.send(answerTo(question, [127, 0, 0, 1]), from.port, from.address);
    });
    await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
    const own = `127.0.0.1:${server.address().port}`;
    Object.assign(Resolver.prototype, {
      resolve4(this: Resolver, name: string) {
        this.setServers([own]);
        return Reflect.apply(resolve4, this, [name]);
      },
    });
  });
  beforeEach(() => {
    asked.length = 0;
  });
  after(() => {
    Object.assign(Resolver.prototype, { resolve4 });
    server.close();
  });

  const post = (host: string, ms: number) =>
    postToStranger(new URL(`https://${host}/push`), {
      ...{ headers: {}, body: Buffer.from(""), isLocal: false },
      signal: AbortSignal.timeout(ms),
    }).catch((error: unknown) => error);

  it("leads nowhere inside, whatever its servers say", async () => {
    expect(await post("inside.stranger.example", 20_000)).to.have.property("code", "EINSIDE");
    expect(asked).to.include("inside.stranger.example");
    expect(await post("db.internal", 20_000)).to.have.property("code", "EINSIDE");
    expect(asked).to.not.include("db.internal");
  });

  it("keeps no other look-up waiting while its servers are silent, and is given up with its call", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `silent${index}.stranger.example`);
    const waiting = names.map((name) => post(name, 2_000));
    await until("all are asked for", () => names.every((name) => asked.includes(name)));
    const began = performance.now();
    expect(await lookup("localhost")).to.have.property("address");
    expect(performance.now() - began).to.be.below(1_000);
    for (const error of await Promise.all(waiting)) expect(error).to.have.property("name", "AbortError");
    expect(performance.now() - began).to.be.below(10_000);
  });
});

/** RFC 1035, 4.1.2 */
function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12, length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return labels.join(".");
}

/** An address for each question for one. */
function answerTo(question: Buffer, address: number[]): Buffer {
  const end = 12 + nameIn(question).length + 2 + 4;
  const isFour = question.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(isFour ? 1 : 0, 6);
  head.writeUInt16BE(0, 10);
  const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
  return Buffer.concat([head, question.subarray(12, end), ...(isFour ? [record] : [])]);
}
