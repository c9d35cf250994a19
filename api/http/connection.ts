import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** More requests of one connection are left unread until an answer has gone out. docs/product.md#limit-connections */
const IN_HAND = 4;
/** llhttp's HPE_PAUSED: returned by a callback, it stops the parser after that request's headers. */
const PAUSED = 21;
/** `kOnExecute` of Node's HTTPParser: the callback after each read. */
const ON_EXECUTE = 5;

/** What of Node's HTTPParser is used here; Node has no public way to stop it between two requests of one read. */
type Parser = {
  onIncoming(request: IncomingMessage, keepsAlive: boolean): number;
  /** The number of parsed bytes, or why it went no further. */
  [ON_EXECUTE](parsed: number | Stopped): void;
  execute(bytes: Buffer): number | Stopped;
  getCurrentBuffer(): Buffer;
  resume(): void;
};
type Stopped = Error & { code?: string; bytesParsed?: number };

/**
 * The requests of one connection: answered one after the other, in their order, and read only as far as they are
 * answered. So a response always has its socket, and is closed with it, and so is what it is made from. A response that
 * waited behind another one would never hear of the end.
 *
 * Node's parser reads the socket itself, without a copy, until requests come faster than they are answered: then it is
 * stopped in the middle of what it read. docs/decisions/0016-requests-in-hand.md
 */
export class Connection {
  readonly #socket: Socket;
  readonly #parser: Parser;
  readonly #executed: (parsed: number | Stopped) => void;
  readonly #waiting: (() => void)[] = [];
  #inHand = 0;
  #isHeld = false;
  /** What the parser was stopped before. */
  #unread: Buffer | undefined;

  /** Wraps the callbacks of the parser that Node's HTTP server has given to the socket. */
  constructor(socket: Socket) {
    this.#socket = socket;
    const parser = parserOf(socket);
    this.#parser = parser;
    this.#executed = parser[ON_EXECUTE];
    const { onIncoming } = parser;
    parser.onIncoming = (request, keepsAlive) => {
      const before = this.#inHand;
      const result = onIncoming(request, keepsAlive);
      // One that Node answers itself is not in hand, but waits behind those that are.
      const isBehind = before > 0 && this.#inHand === before;
      if (result !== 0 || (this.#inHand < IN_HAND && !isBehind)) return result;
      this.#isHeld = true;
      return PAUSED;
    };
    parser[ON_EXECUTE] = (parsed) => this.#parsed(parsed, () => parser.getCurrentBuffer());
    socket.on("resume", () => this.#read());
  }

  answer(request: IncomingMessage, response: ServerResponse, listener: RequestListener): void {
    this.#inHand++;
    response.once("close", this.#answered);
    if (this.#inHand > 1) this.#waiting.push(() => listener(request, response));
    else if (this.#socket.writable) listener(request, response);
  }

  readonly #answered = (): void => {
    this.#inHand--;
    const next = this.#waiting.shift();
    // Others are heard in between.
    if (next) setImmediate(() => this.#socket.writable && next());
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.resume();
  };

  /** Goes on with what is unread, unless Node has paused the socket because a body is not read or an answer not taken. */
  #read(): void {
    const socket = this.#socket;
    if (this.#isHeld || (this.#unread && socket.isPaused())) {
      this.#stop();
      return;
    }
    const unread = this.#unread;
    if (!unread || !socket.writable || Reflect.get(socket, "parser") !== this.#parser) return;
    this.#unread = undefined;
    this.#parser.resume();
    this.#parsed(this.#parser.execute(unread), () => unread);
  }

  #parsed(parsed: number | Stopped, bytes: () => Buffer): void {
    if (this.#unread) {
      this.#unread = Buffer.concat([this.#unread, bytes()]);
    } else if (this.#isHeld) {
      // Where the request asks for another protocol, a stop is no error.
      this.#unread = bytes().subarray(typeof parsed === "number" ? parsed : parsed.bytesParsed);
    } else {
      this.#executed(parsed);
      return;
    }
    this.#stop();
  }

  /** Node reads a socket again at each "resume", even if it was paused in between. */
  #stop(): void {
    if (this.#socket.isPaused()) this.#socket.emit("pause");
    else this.#socket.pause();
  }
}

function parserOf(socket: Socket): Parser {
  const parser: Parser | undefined = Reflect.get(socket, "parser");
  if (typeof parser?.onIncoming === "function" && typeof parser[ON_EXECUTE] === "function") return parser;
  throw new Error("This version of Node.js has another HTTP parser; use the one in package.json");
}
