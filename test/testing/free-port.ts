import { createServer } from "node:net";

/** Below the range that the system uses for outgoing connections, so none of them can take the port in between. */
const [LOWEST, HIGHEST] = [10_240, 32_000];
const handedOut = new Set<number>();

/** Distinct ports that are free now, chosen at random, so that concurrent tests do not collide. */
export async function freePorts<const N extends number>(count: N): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
