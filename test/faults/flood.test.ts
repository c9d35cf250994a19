import { once } from "node:events";
import { Agent, request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { SYSTEM_FAULTS } from "../../core/rules/system-faults.ts";
import { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const STORM_MS = 5_000;
/** What the api opens by itself meanwhile, of its database and node. */
const OWN_FILES = 20;

/** One address floods in every way at once, for seconds; another one is a person who buys. docs/product.md#purses */
describe("A flood from one address @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  let port: number;
  let other: Awaited<ReturnType<typeof fromAddress>>;
  before(async () => {
    system = await startFaultSystem({ environment: { RATE_LIMIT_SCALE: "1" } });
    port = Number(new URL(system.url).port);
    other = await fromAddress("127.0.0.2", port);
  });
  after(async () => {
    await other?.stop();
    await system?.stop();
  });

  it("serves another address, and leaves nothing behind (F47)", async () => {
    const quiet = await figures();
    const buyer = new Shopper(other.url);
    const storm = new Storm(port);
    const wallets = Array.from({ length: 10 }, () => new Shopper(system.url));
    const endsAt = performance.now() + STORM_MS;
    const isOver = () => performance.now() > endsAt;
    const floods = [
      storm.pipelined("/api/stores", 20, isOver),
      storm.pipelined("/", 20, isOver),
      storm.crowd(300, isOver),
      storm.slow("POST /api/login HTTP/1.1\r\nhost: a\r\ncontent-length: 60000\r\n\r\n", 30, isOver),
      storm.slow("GET /api HTTP/1.1\r\nx-endless: ", 30, isOver),
      ...wallets.map((wallet) => clickOn(wallet, isOver)),
    ];
    await buyer.signUp();
    const statuses = new Set<number>();
    while (!isOver()) {
      for (const path of ["/api/stores/1", "/api/me", "/readyz"]) statuses.add((await buyer.call("GET", path)).status);
    }
    const purchase = await buyer.buy(1, 100);
    await Promise.all(floods);
    expect([...statuses]).to.deep.equal([200]);
    expect(storm.answered).to.be.greaterThan(0);
    await buyer.paid([purchase]);
    storm.end();

    await until("everything is as before", async () => {
      const now = await figures();
      return now.files <= quiet.files + OWN_FILES && now.lagSeconds <= SYSTEM_FAULTS.loop_lag.seconds && now.isReady;
    });
    expect((await new Shopper(system.url).call("GET", "/api/stores/1")).status).to.be.oneOf([200, 429]);
  });

  async function figures() {
    const metrics = await (await fetch(`${other.url}/metrics`)).text();
    const figure = (name: string) => Number(new RegExp(`^${name}(?:{.*})? (.*)$`, "m").exec(metrics)?.[1]);
    return {
      files: figure("torcida_open_files"),
      lagSeconds: figure("torcida_loop_lag_seconds"),
      isReady: (await fetch(`${other.url}/readyz`)).ok,
    };
  }
});

/** A free wallet that asks for as much as it gets. */
async function clickOn(wallet: Shopper, isOver: () => boolean): Promise<void> {
  await wallet.signUp().catch(() => {});
  while (!isOver()) {
    await wallet
      .call("POST", "/api/register-purchase", { user: wallet.address, store_id: 1, amount: 1 })
      .catch(() => {});
  }
}

/** Connections of 127.0.0.1 that ask for more than they take. */
class Storm {
  readonly #port: number;
  readonly #sockets: Socket[] = [];
  /** Bytes that came back. */
  answered = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Forty requests at a time on each connection; every second one never reads an answer. */
  async pipelined(path: string, connections: number, isOver: () => boolean): Promise<void> {
    const forty = `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(40);
    const one = async (index: number) => {
      const socket = this.#connect();
      if (index % 2 === 1) socket.pause();
      while (!isOver()) {
        if (socket.writableLength < 1_000_000) socket.write(forty);
        await delay(20);
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, index) => one(index)));
  }

  /** More connections than an address may have, each with requests one after the other. */
  async crowd(connections: number, isOver: () => boolean): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const ask = () =>
      new Promise<void>((resolve) => {
        request({ port: this.#port, host: "127.0.0.1", path: "/api/fan-tokens", agent }, (response) => {
          response.resume().on("close", resolve);
        })
          .on("error", () => resolve())
          .end();
      });
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (!isOver()) {
          await ask();
          await delay(10);
        }
      }),
    );
    agent.destroy();
  }

  /** Begins a request, and goes on with a byte at a time. */
  async slow(beginning: string, connections: number, isOver: () => boolean): Promise<void> {
    const sockets = Array.from({ length: connections }, () => this.#connect());
    for (const socket of sockets) socket.write(beginning);
    while (!isOver()) {
      for (const socket of sockets) if (socket.writable) socket.write("x");
      await delay(200);
    }
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): Socket {
    const socket = connect(this.#port, "127.0.0.1");
    socket.on("error", () => {});
    socket.on("data", (bytes) => (this.answered += bytes.length));
    this.#sockets.push(socket);
    return socket;
  }
}

/** A way to the api for which every connection comes from this address of the loopback. */
async function fromAddress(localAddress: string, port: number) {
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect({ port, host: "127.0.0.1", localAddress });
    for (const [one, another] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one);
      one.pipe(another);
      one.on("error", () => another.destroy());
      one.on("close", () => open.delete(one));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
