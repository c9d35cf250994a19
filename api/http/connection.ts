import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** More requests of one connection are left unread until an answer has gone out. docs/product.md#limit-connections */
const IN_HAND = 4;
const NOTHING: Buffer = Buffer.alloc(0);
/** What is parsed at a time: a few dozen of the shortest requests are then in hand beyond the limit, not thousands. */
const SLICE_BYTES = 1_024;

/**
 * The requests of one connection: answered one after the other, in their order, and read only as far as they are
 * answered. So a response always has its socket, and is closed with it, and so is what it is made from. A response that
 * waited behind another one would never hear of the end.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #parse: (bytes: Buffer) => void;
  readonly #waiting: (() => void)[] = [];
  #inHand = 0;
  #unread = NOTHING;
  #isHeld = false;

  /** Comes between a socket and Node's HTTP server, which must have it already. */
  constructor(socket: Socket) {
    this.#socket = socket;
    const parsers = socket.listeners("data");
    this.#parse = (bytes) => {
      for (const parse of parsers) Reflect.apply(parse, socket, [bytes]);
    };
    socket.removeAllListeners("data");
    socket.on("data", (bytes: Buffer) => {
      this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
      this.#read();
    });
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
    if (this.#socket.writable) this.#waiting.shift()?.();
    if (this.#isHeld && this.#inHand < IN_HAND) {
      this.#isHeld = false;
      this.#socket.resume();
    }
  };

  /** Does not go on while Node has paused the socket, because a body is not read or an answer not taken. */
  #read(): void {
    const socket = this.#socket;
    while (this.#unread.length > 0 && this.#inHand < IN_HAND && socket.writable && !socket.isPaused()) {
      const slice = this.#unread.subarray(0, SLICE_BYTES);
      this.#unread = this.#unread.subarray(slice.length);
      this.#parse(slice);
    }
    if (this.#inHand < IN_HAND) return;
    this.#isHeld = true;
    socket.pause();
  }
}
