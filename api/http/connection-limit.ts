import type { RequestListener, ServerOptions } from "node:http";
import { Socket } from "node:net";
import express from "express";
import { Server } from "../../core/process/http.ts";
import { answerSocket } from "./client-errors.ts";
import { Connection } from "./connection.ts";
import { originOf } from "./origin.ts";
import { SlowReader } from "./slow-reader.ts";

/** docs/product.md#limit-connections */
const CONNECTIONS_AN_ADDRESS = 256;
const CONNECTIONS = 8_192;
const HEADERS_MS = 10_000;
const REQUEST_MS = 20_000;
const CHECK_EVERY_MS = 1_000;
/** Longer than the minute for which balancers keep a connection that they do not use: they close it, not we. */
const KEEP_ALIVE_MS = 75_000;
/** How long a rejected connection stays open so that the caller can read the response. */
const REFUSAL_MS = 2_000;

export type ConnectionLimits = {
  /** RATE_LIMIT_SCALE. */
  scale: number;
  /** TRUST_PROXY: a proxy carries many callers over its connections and is not counted. */
  trustProxy: string | undefined;
};

/** An HTTP server that rejects slow and excess connections with a response, never with a reset. */
export function createLimitedServer(limits: ConnectionLimits, listener: RequestListener): InstanceType<typeof Server> {
  const options = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    limits,
  };
  const server = new LimitedServer(options, listener);
  // Rejected connections stay open briefly too; above this many, further ones get no response.
  server.maxConnections = 2 * CONNECTIONS;
  return server;
}

class LimitedServer extends Server {
  readonly #open = new Map<string, number>();
  readonly #connections = new Map<Socket, { connection: Connection; reader: SlowReader }>();
  readonly #isTrusted: (address: string, hop: number) => boolean;
  readonly #anAddress: number;
  readonly #all: number;
  #count = 0;

  constructor({ limits, ...options }: ServerOptions & { limits: ConnectionLimits }, listener: RequestListener) {
    super(options, (request, response) => {
      this.#connections.get(request.socket)?.connection.answer(request, response, listener);
    });
    const watch = setInterval(() => this.#endSlowReaders(), CHECK_EVERY_MS).unref();
    this.once("close", () => clearInterval(watch));
    this.#isTrusted = trustOf(limits.trustProxy);
    this.#anAddress = Math.max(1, Math.round(CONNECTIONS_AN_ADDRESS * limits.scale));
    this.#all = Math.max(1, Math.round(CONNECTIONS * Math.max(1, limits.scale)));
  }

  /** A rejected connection never reaches the HTTP parser. */
  override emit(event: string | symbol, ...parameters: unknown[]): boolean {
    const [socket] = parameters;
    if (event !== "connection" || !(socket instanceof Socket)) {
      return Reflect.apply(super.emit, this, [event, ...parameters]);
    }
    if (!this.#admits(socket)) {
      refuse(socket);
      return true;
    }
    const isHandled = super.emit("connection", socket);
    this.#connections.set(socket, { connection: new Connection(socket), reader: new SlowReader(socket) });
    socket.once("close", () => this.#connections.delete(socket));
    return isHandled;
  }

  #endSlowReaders(): void {
    const now = performance.now();
    for (const [socket, { reader }] of this.#connections) if (reader.isTooSlow(now)) socket.destroy();
  }

  #admits(socket: Socket): boolean {
    const address = socket.remoteAddress ?? "";
    if (this.#count >= this.#all) return false;
    const origin = this.#isTrusted(address, 0) ? undefined : originOf(address);
    const ofOrigin = origin === undefined ? 0 : (this.#open.get(origin) ?? 0);
    if (ofOrigin >= this.#anAddress) return false;
    this.#count++;
    if (origin !== undefined) this.#open.set(origin, ofOrigin + 1);
    socket.once("close", () => this.#release(origin));
    return true;
  }

  #release(origin: string | undefined): void {
    this.#count--;
    if (origin === undefined) return;
    const left = (this.#open.get(origin) ?? 1) - 1;
    if (left > 0) this.#open.set(origin, left);
    else this.#open.delete(origin);
  }
}

/** Responds before a request arrives, and drains the input: closing with unread bytes would reset the connection. */
function refuse(socket: Socket): void {
  socket.on("error", () => socket.destroy());
  setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
  answerSocket(socket, 503, "TOO_MANY_CONNECTIONS", "Too many connections from this address; close some and try again");
  socket.resume();
}

/** Express' own reading of TRUST_PROXY. */
function trustOf(trustProxy: string | undefined): (address: string, hop: number) => boolean {
  const app = express();
  app.set("trust proxy", trustedProxies(trustProxy));
  return app.get("trust proxy fn");
}

export function trustedProxies(text: string | undefined): boolean | number | string[] {
  if (text === undefined) return false;
  return /^\d+$/.test(text) ? Number(text) : text.split(",").map((item) => item.trim());
}
