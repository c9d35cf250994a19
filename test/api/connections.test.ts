import type { RequestListener, Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { answerClientErrors } from "../../api/http/client-errors.ts";
import { createLimitedServer } from "../../api/http/connection-limit.ts";
import { originOf } from "../../api/http/origin.ts";
import { SlowReader } from "../../api/http/slow-reader.ts";
import { until } from "../testing/until.ts";

type Caller = { socket: Socket; said(): string; end: "open" | "closed" | "reset" };

describe("Connections", function () {
  this.timeout(300_000);
  let server: Server;
  let callers: Caller[];
  beforeEach(() => {
    callers = [];
  });
  afterEach(async () => {
    for (const { socket } of callers) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function listen(scale: number, trustProxy?: string): Promise<void> {
    server = createLimitedServer({ scale, trustProxy }, (request, response) => {
      request.resume().on("end", () => response.end("heard"));
    });
    answerClientErrors(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }

  async function call(text: string): Promise<Caller> {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let said = "";
    const caller: Caller = { socket, said: () => said, end: "open" };
    callers.push(caller);
    socket.on("data", (chunk: Buffer) => (said += chunk.toString()));
    socket.on("end", () => socket.end());
    socket.on("error", () => {
      caller.end = "reset";
    });
    socket.on("close", () => {
      if (caller.end === "open") caller.end = "closed";
    });
    await new Promise<void>((resolve) => socket.once("connect", resolve));
    socket.write(text);
    return caller;
  }

  const HALF_A_BODY = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n{";

  it("beyond 256 of an address get an error and are closed, never reset (F47)", async () => {
    await listen(1);
    for (let count = 0; count < 400; count++) await call(HALF_A_BODY + "x".repeat(20_000));
    await until("the others have heard", () => callers.filter(({ end }) => end !== "open").length === 144);
    const refused = callers.filter(({ end }) => end !== "open");
    expect(new Set(refused.map(({ end }) => end))).to.deep.equal(new Set(["closed"]));
    for (const { said } of refused) {
      expect(said())
        .to.match(/^HTTP\/1\.1 503 /)
        .and.match(/\r\nconnection: close\r\n/);
      expect(JSON.parse(said().split("\r\n\r\n")[1] ?? "")).to.include({ code: "TOO_MANY_CONNECTIONS" });
    }
  });

  it("are accepted again after others have closed, up to a limit that RATE_LIMIT_SCALE multiplies", async () => {
    await listen(2 / 256);
    const [first] = [await call(HALF_A_BODY), await call(HALF_A_BODY)];
    const third = await call(HALF_A_BODY);
    await until("the third is refused", () => third.end === "closed");
    first?.socket.destroy();
    await until("a fourth is heard", async () => {
      const fourth = await call("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      await until("it is answered", () => fourth.said() !== "");
      return fourth.said().includes("200 OK");
    });
  });

  it("of a trusted proxy are not counted", async () => {
    await listen(1 / 256, "loopback");
    const two = [await call("GET / HTTP/1.1\r\nhost: a\r\n\r\n"), await call("GET / HTTP/1.1\r\nhost: a\r\n\r\n")];
    await until("both are answered", () => two.every(({ said }) => said().includes("200 OK")));
  });

  it("have ten seconds for their headers and twenty for their body (F47)", async () => {
    await listen(1);
    expect([server.headersTimeout, server.requestTimeout]).to.deep.equal([10_000, 20_000]);
    // The same with a shorter limit.
    server.headersTimeout = 500;
    server.requestTimeout = 1_000;
    const slow = [await call(""), await call("POST / HTTP/1.1\r\nhost: a\r\n"), await call(HALF_A_BODY)];
    await until("all have been ended", () => slow.every(({ end }) => end !== "open"));
    expect(slow[1]?.said()).to.match(/^HTTP\/1\.1 408 /);
    expect(slow[2]?.said()).to.match(/^HTTP\/1\.1 408 /);
  });

  describe("with many requests at once", () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
    const post = (body: string) => `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

    async function listenWith(listener: RequestListener): Promise<void> {
      server = createLimitedServer({ scale: 1, trustProxy: undefined }, listener);
      answerClientErrors(server);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    }

    it("are answered one after the other, in their order, whatever the sizes of their bodies", async () => {
      let running = 0;
      let most = 0;
      await listenWith((request, response) => {
        most = Math.max(most, ++running);
        let size = 0;
        request.on("data", (chunk: Buffer) => (size += chunk.length));
        request.on("end", async () => {
          await nextTurn();
          running--;
          response.end(`<${request.url} ${size}>`);
        });
      });
      const sizes = Array.from({ length: 300 }, (_, index) => (index % 50 === 7 ? 100_000 + index : index % 3));
      const one = await call(sizes.map((size) => (size === 0 ? get("/none") : post("x".repeat(size)))).join(""));
      await until("all are answered", () => one.said().match(/<[^>]+>/g)?.length === sizes.length);
      expect(one.said().match(/<[^>]+>/g)).to.deep.equal(sizes.map((size) => (size ? `</ ${size}>` : "</none 0>")));
      expect(most).to.equal(1);
    });

    for (const before of [0, 1, 3, 4, 5, 9]) {
      it(`are answered where one asks for another protocol, behind ${before}`, async () => {
        await listenWith((request, response) => {
          request.resume().on("end", () => setTimeout(() => response.end(`<${request.url}>`)));
        });
        const upgrade = "GET /socket HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
        const one = await call(get("/").repeat(before) + upgrade);
        await until("it is answered", () => one.said().includes("</socket>"), 10_000);
        expect(one.said().match(/<[^>]+>/g)).to.have.length(before + 1);
      });
    }

    /** Counts what Node's parser finds, also what Node answers itself. */
    function countParsed(): () => number {
      let count = 0;
      server.on("connection", (socket: Socket) => {
        const parser = Reflect.get(socket, "parser");
        const { onIncoming } = parser;
        parser.onIncoming = (...parameters: unknown[]) => {
          count++;
          return onIncoming(...parameters);
        };
      });
      return () => count;
    }

    for (const { title, behind, most } of [
      { title: "", behind: get("/"), most: 4 },
      { title: ", though Node answers them itself", behind: "GET / HTTP/1.1\r\n\r\n", most: 2 },
    ]) {
      it(`are not read while the first ones wait, and end with their connection${title}`, async () => {
        const answering: ServerResponse[] = [];
        const closed: ServerResponse[] = [];
        await listenWith((_request, response) => {
          answering.push(response);
          response.on("close", () => closed.push(response));
        });
        const parsed = countParsed();
        const one = await call("");
        one.socket.write(Buffer.from(get("/") + behind.repeat(8_000_000 / behind.length)));
        await until("the first one is heard", () => answering.length === 1);
        await until("nothing more is sent", async () => {
          const before = one.socket.writableLength;
          await delay(300);
          return one.socket.writableLength === before;
        });
        expect(one.socket.writableLength, "the rest waits at the sender").to.be.greaterThan(0);
        expect(parsed()).to.equal(most);
        one.socket.destroy();
        // A connection that is not read is known to have ended once something is written to it.
        await until("its response is closed", () => {
          answering[0]?.write("x".repeat(1_000));
          return closed.length === 1;
        });
        expect(answering, "the others are never begun").to.have.length(1);
      });
    }

    it("leave a body that nobody reads at its sender", async () => {
      let received: Socket | undefined;
      await listenWith((request) => {
        received ??= request.socket;
      });
      const size = 64 * 2 ** 20;
      const one = await call(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\n`);
      one.socket.write(Buffer.alloc(size));
      await until("it is not read any further", async () => {
        const before = received?.bytesRead;
        await delay(300);
        return before !== undefined && received?.bytesRead === before;
      });
      expect(received?.bytesRead).to.be.lessThan(2 ** 20);
    });

    it("are refused at the first that is no HTTP, and those behind it not heard", async () => {
      await listenWith((request, response) => response.end(`<${request.url}>`));
      const one = await call(`${get("/1")}${get("/2")}NO HTTP\r\n\r\n${get("/3")}`);
      await until("it is ended", () => one.end !== "open");
      expect(one.said())
        .to.match(/HTTP\/1\.1 400 /)
        .and.not.include("</3>");
    });
  });

  describe("whose other end does not take its answer", () => {
    /** An answer that no socket's buffer holds, and both ends of its connection. */
    async function answerTo(taking: (caller: Caller) => void) {
      let socket: Socket | undefined;
      server = createLimitedServer({ scale: 1, trustProxy: undefined }, (_request, response) => {
        socket = response.socket ?? undefined;
        response.end(Buffer.alloc(64 * 2 ** 20));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const caller = await call("");
      taking(caller);
      caller.socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      return { caller, socket: await until("it is answered", () => socket) };
    }

    it("is too slow after 20 seconds without a byte", async () => {
      const { socket } = await answerTo((caller) => caller.socket.pause());
      const reader = new SlowReader(socket);
      await until("its buffers are full", async () => {
        const before = socket.bytesWritten;
        await delay(200);
        return socket.bytesWritten === before;
      });
      expect([0, 10_000, 19_999].map((at) => reader.isTooSlow(at))).to.deep.equal([false, false, false]);
      expect(reader.isTooSlow(20_000)).to.equal(true);
    });

    it("is too slow after a minute with less than a kilobyte a second, and not with more", async () => {
      const { caller, socket } = await answerTo((one) => one.socket.pause());
      const taken = async (bytes: number) => {
        for (let got = 0; got < bytes; ) {
          const chunk: Buffer | null = caller.socket.read(Math.min(bytes - got, caller.socket.readableLength || 1));
          if (chunk === null) await delay(20);
          else got += chunk.length;
        }
      };
      const reader = new SlowReader(socket);
      expect(reader.isTooSlow(0)).to.equal(false);
      // More than the buffers of both ends hold, so that the sender's system takes more too.
      await taken(12 * 2 ** 20);
      for (const at of [15_000, 30_000, 45_000, 60_000]) {
        await taken(8 * 2 ** 20);
        expect(reader.isTooSlow(at), `${at} ms`).to.equal(false);
      }
      const verdicts: boolean[] = [];
      for (const at of [75_000, 90_000, 105_000, 120_000]) verdicts.push(reader.isTooSlow(at));
      expect(verdicts.at(-1)).to.equal(true);
    });

    it("is no matter while nothing waits for it", async () => {
      await listen(1);
      const one = await call("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      await until("it is answered", () => one.said() !== "");
      const reader = new SlowReader(one.socket);
      expect([0, 90_000].map((at) => reader.isTooSlow(at))).to.deep.equal([false, false]);
    });
  });

  for (const [address, origin] of [
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ] as const) {
    it(`of ${address} are counted for ${origin}`, () => expect(originOf(address)).to.equal(origin));
  }
});
