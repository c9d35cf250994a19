import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";

export type TransactionPooler = {
  port: number;
  /** How many transactions ran on a server connection that another client had used before. */
  shared(): number;
  stop(): Promise<void>;
};

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
const SERVER_CONNECTIONS = 4;
const TERMINATE = 0x58;
const READY_FOR_QUERY = 0x5a;
const IDLE = 0x49;
/** AuthenticationOk, BackendKeyData, ReadyForQuery: the pooler has signed in already. */
const WELCOME = Buffer.concat([
  message("R", Buffer.from([0, 0, 0, 0])),
  message("S", Buffer.from("server_version\x0018\x00")),
  message("S", Buffer.from("client_encoding\x00UTF8\x00")),
  message("K", Buffer.alloc(8)),
  message("Z", Buffer.from("I")),
]);

const UNKNOWN_DATABASE = message("E", Buffer.from("SFATAL\0VFATAL\0C3D000\0Mno such database\0\0"));

type ServerConnection = { socket: Socket; client: Socket | undefined; lastClient: Socket | undefined };

/**
 * PostgreSQL behind a pooler in transaction mode: few server connections, given to a client for one transaction, and
 * reset with `DISCARD ALL` before the next. Session state of a client is lost.
 */
export async function startTransactionPooler(databaseUrl: string): Promise<TransactionPooler> {
  const served = new URL(databaseUrl).pathname.slice(1);
  const idle: ServerConnection[] = [];
  const all = new Set<Socket>();
  const waiting: ((server: ServerConnection) => void)[] = [];
  let shared = 0;
  let isStopped = false;

  const release = (server: ServerConnection) => {
    server.client = undefined;
    if (server.socket.destroyed) return;
    const next = waiting.shift();
    if (next) next(server);
    else idle.push(server);
  };
  const take = async (client: Socket): Promise<ServerConnection> => {
    const server = idle.shift() ?? (await new Promise<ServerConnection>((resolve) => waiting.push(resolve)));
    if (server.lastClient && server.lastClient !== client) shared++;
    server.client = client;
    server.lastClient = client;
    return server;
  };
  /** A server connection that ends closes its client's, and is replaced. */
  const open = async (): Promise<void> => {
    const server = { socket: await openServerConnection(databaseUrl, all), client: undefined, lastClient: undefined };
    server.socket.on("close", () => onServerClosed(server));
    release(server);
  };
  const onServerClosed = (server: ServerConnection) => {
    all.delete(server.socket);
    server.client?.destroy();
    if (idle.includes(server)) idle.splice(idle.indexOf(server), 1);
    if (!isStopped) void open().catch(() => {});
  };
  for (let count = 0; count < SERVER_CONNECTIONS; count++) await open();

  const proxy = createServer({ noDelay: true }, (client) => {
    all.add(client);
    let server: ServerConnection | undefined;
    let asked: Promise<void> = Promise.resolve();
    client.on("error", () => {});
    client.on("close", () => {
      all.delete(client);
      void asked.then(() => {
        // The client left inside a transaction: PostgreSQL rolls it back with the connection.
        server?.socket.destroy();
      });
    });
    const forward = (bytes: Buffer) => {
      asked = asked.then(async () => {
        if (client.destroyed) return;
        if (!server) {
          const taken = await take(client);
          if (client.destroyed) return release(taken);
          server = taken;
          taken.socket.on("data", answerFrom(taken));
        }
        server.socket.write(bytes);
      });
    };
    const answerFrom = (taken: ServerConnection) =>
      readMessages((type, bytes) => {
        client.write(bytes);
        if (type !== READY_FOR_QUERY || bytes[5] !== IDLE) return;
        taken.socket.removeAllListeners("data");
        server = undefined;
        void wipe(taken.socket).then(() => release(taken));
      });
    const onMessage = readMessages((type, bytes) => {
      if (type !== TERMINATE) forward(bytes);
    });
    let greeted = Buffer.alloc(0);
    const onGreeting = (chunk: Buffer) => {
      greeted = Buffer.concat([greeted, chunk]);
      if (greeted.length < 8 || greeted.length < greeted.readUInt32BE(0)) return;
      const code = greeted.readUInt32BE(4);
      const parameters = greeted.toString("utf8", 8, greeted.readUInt32BE(0)).split("\0");
      greeted = greeted.subarray(greeted.readUInt32BE(0));
      if (code === CANCEL_REQUEST) return void client.destroy();
      if (code === SSL_REQUEST) return void client.write("N");
      if (parameters[parameters.indexOf("database") + 1] !== served) return void client.end(UNKNOWN_DATABASE);
      client.write(WELCOME);
      client.off("data", onGreeting);
      client.on("data", onMessage);
      if (greeted.length > 0) onMessage(greeted);
    };
    client.on("data", onGreeting);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    shared: () => shared,
    stop: () =>
      new Promise((resolve) => {
        isStopped = true;
        proxy.close(() => resolve());
        for (const socket of all) socket.destroy();
      }),
  };
}

/** `pg` authenticates; after that the pooler handles the bytes. */
async function openServerConnection(databaseUrl: string, all: Set<Socket>): Promise<Socket> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => {});
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners("data");
  stream.removeAllListeners("end");
  stream.removeAllListeners("close");
  stream.on("error", () => {});
  all.add(stream);
  return stream;
}

function wipe(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      socket.off("data", onData);
      socket.off("close", end);
      resolve();
    };
    const onData = readMessages((type) => {
      if (type === READY_FOR_QUERY) end();
    });
    socket.on("data", onData);
    socket.on("close", end);
    socket.write(message("Q", Buffer.from("DISCARD ALL\0")));
  });
}

/** Splits a stream into complete protocol messages (type, length, body). */
function readMessages(onMessage: (type: number, bytes: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 1 + rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1);
      const bytes = rest.subarray(0, end);
      rest = rest.subarray(end);
      onMessage(bytes[0] ?? 0, bytes);
    }
  };
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
