import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SMTPServer, type SMTPServerSession } from "smtp-server";

export type Received = { to: string[]; raw: string; id: string; subject: string };

type Answer = { code: number; text: string };

/** A real SMTP server on loopback, which can be away, slow, or refuse an address. */
export class MailServer {
  readonly received: Received[] = [];
  refused = "";
  /** With which code it refuses that: 4xx for now, 5xx for good. */
  refusedWith = 550;
  /** Where it answers no more: before the text of an e-mail, or once it has it all. */
  silentAt: "recipient" | "end" | undefined;
  /** How often it did not answer. */
  silences = 0;
  /** Its answer to the sender, and to a whole e-mail, if it takes neither. */
  refusals: { sender?: Answer | undefined; message?: Answer | undefined } = {};
  /** How long it thinks about a whole e-mail, and whether it then closes the connection without an answer. */
  thinksMs = 0;
  drops = false;
  readonly #sockets = new Set<Socket>();
  #server: SMTPServer | undefined;
  port = 0;

  async start(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      // Nobody reads the client's name, and some machines wait long for it.
      disableReverseLookup: true,
      onMailFrom: (_address, _session, callback) => callback(refusalOf(this.refusals.sender)),
      onRcptTo: ({ address }, _session, callback) => {
        if (this.#isSilent("recipient")) return;
        callback(address === this.refused ? refusalOf({ code: this.refusedWith, text: "no such user" }) : undefined);
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", async () => {
          const { message } = this.refusals;
          if (message) return callback(refusalOf(message));
          this.received.push(readMail(Buffer.concat(chunks).toString("utf8"), session));
          if (this.#isSilent("end")) return;
          await delay(this.thinksMs);
          if (this.drops) this.#dropAll();
          else callback();
        });
      },
    });
    server.server.on("connection", (socket) => this.#sockets.add(socket));
    // A sender that is killed in a session may reset its connection.
    server.on("error", () => {});
    await new Promise<void>((resolve) => {
      const listening = server.listen(this.port, "127.0.0.1", () => resolve());
      this.#server = server;
      listening.on("listening", () => {
        const address = listening.address();
        if (address && typeof address === "object") this.port = address.port;
      });
    });
  }

  #isSilent(at: "recipient" | "end"): boolean {
    if (this.silentAt !== at) return false;
    this.silences += 1;
    return true;
  }

  #dropAll(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }
}

function refusalOf(answer: Answer | undefined): Error | undefined {
  return answer && Object.assign(new Error(answer.text), { responseCode: answer.code });
}

function readMail(raw: string, session: SMTPServerSession): Received {
  const end = raw.indexOf("\r\n\r\n");
  // Long header lines are folded, and texts are quoted-printable.
  const head = raw.slice(0, end).replace(/\r\n[ \t]/g, " ");
  const body = raw
    .slice(end)
    .replace(/=\r\n/g, "")
    .replace(/((?:=[0-9A-F]{2})+)/g, (hex) => Buffer.from(hex.replaceAll("=", ""), "hex").toString("utf8"));
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
  return {
    to: session.envelope.rcptTo.map(({ address }) => address),
    raw: head + body,
    id: header("Message-ID"),
    subject: decodeWords(header("Subject")),
  };
}

function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, word) => Buffer.from(word, "base64").toString("utf8"))
    .replace(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_, word: string) =>
      decodeURIComponent(word.replaceAll("_", " ").replaceAll("=", "%")),
    );
}
