import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect } from "chai";
import { answerClientErrors } from "../../api/http/client-errors.ts";
import { createLimitedServer } from "../../api/http/connection-limit.ts";
import { originOf } from "../../api/http/origin.ts";
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
