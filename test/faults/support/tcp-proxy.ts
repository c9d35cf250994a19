import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";

export type TcpProxy = {
  port: number;
  /** Closes every connection and refuses new ones. */
  cut(): void;
  /** Keeps connections open and passes nothing on: the other side seems to hang. */
  freeze(): void;
  restore(): void;
  stop(): Promise<void>;
};

/** A proxy between a process and its database, to simulate network failures. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: "open" | "cut" | "frozen" = "open";
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
    else to.write(chunk);
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
    restore() {
      state = "open";
      for (const write of waiting.splice(0)) write();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
