import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";

export type TcpProxy = {
  port: number;
  /** Closes every connection and refuses new ones. */
  cut(): void;
  /** Keeps connections open and passes nothing on: the other side seems to hang. */
  freeze(): void;
  /** Delay of every byte, in each direction. */
  slow(ms: number): void;
  restore(): void;
  stop(): Promise<void>;
};

/** A proxy between a process and its database, to simulate network failures. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: "open" | "cut" | "frozen" = "open";
  let delayMs = 0;
  const server = createServer((client) => {
    if (state === "cut") return void client.destroy();
    const target = connectTo(targetPort, "127.0.0.1");
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => {});
    }
    client.on("data", (chunk) => forward(chunk, target));
    target.on("data", (chunk) => forward(chunk, client));
    client.on("close", () => target.destroy());
    target.on("close", () => client.destroy());
  });
  const waiting: (() => void)[] = [];
  function forward(chunk: Buffer, to: Socket): void {
    if (state === "frozen") waiting.push(() => to.write(chunk));
    else if (delayMs > 0 || late.length > 0) later(() => to.write(chunk));
    else to.write(chunk);
  }
  const late: { at: number; write: () => void }[] = [];
  function later(write: () => void): void {
    if (late.push({ at: performance.now() + delayMs, write }) === 1) setTimeout(writeLate, delayMs);
  }
  /** In order: bytes after a delayed one wait for it. */
  function writeLate(): void {
    while (late[0] && late[0].at <= performance.now()) late.shift()?.write();
    if (late[0]) setTimeout(writeLate, Math.max(1, late[0].at - performance.now()));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = "cut";
      for (const socket of sockets) socket.destroy();
    },
    freeze() {
      state = "frozen";
    },
    slow(ms) {
      delayMs = ms;
    },
    restore() {
      state = "open";
      delayMs = 0;
      for (const write of waiting.splice(0)) write();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
