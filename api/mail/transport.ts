import { isLoopbackHost } from "../../core/process/network-rules.ts";
import { isRecord } from "../../core/rules/records.ts";
import type { ApiEnvironment } from "../environment.ts";
import type { MailRow } from "./queue.ts";

/** How e-mails leave, and where their links lead. */
export type Post = {
  from: string;
  /** The site's origin. */
  site: string;
  /**
   * `unanswered`: the server has all of it, and did not say whether it took it. `ending` aborts when the process ends.
   * `onHandedOver` is called once the server has all of it.
   * @throws the server's error; then it did not take it
   */
  send(mail: MailRow, ending: AbortSignal, onHandedOver?: () => void): Promise<"sent" | "unanswered">;
  /** The last e-mails, on a machine that has no server for them: the newest first. */
  kept: readonly Kept[] | undefined;
};
export type Kept = Omit<MailRow, "id"> & { headers: Record<string, string> };

const CONNECT_MS = 10_000;
/**
 * How long an attempt to send may take, in ms. Until the server has all of an e-mail, nothing is sent twice by giving up;
 * then RFC 5321 asks for ten minutes, and a process that ends has only a moment.
 */
export const SENDING_LIMITS = { handOver: 60_000, answer: 600_000, lastAnswer: 5_000 };
const KEPT_MOST = 50;

/**
 * The SMTP server if one is configured. Otherwise, on the local chain alone and only if no other machine can call the
 * api, `/dev/mail` keeps the last ones. Undefined: no e-mails are sent. docs/product.md#mail
 */
export function openPost(environment: ApiEnvironment, limits = SENDING_LIMITS): Post | undefined {
  const { SMTP_URL: url, MAIL_FROM: from, PUBLIC_URL, HOST, PORT, isLocal } = environment;
  const site = new URL(PUBLIC_URL ?? `http://localhost:${PORT}`).origin;
  if (url !== undefined && from !== undefined) return smtpPost({ url, from, site }, limits);
  return isLocal && isLoopbackHost(HOST) ? devPost(site) : undefined;
}

type Server = { url: string; from: string; site: string };

/** Passwords and addresses go over the net only encrypted. */
function transportOptions(url: string, limits: typeof SENDING_LIMITS) {
  return {
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: limits.answer,
    requireTLS: !isLoopbackHost(new URL(url).hostname),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Connects and logs in as for an e-mail, and sends none. @throws the server's error, or that it does not answer */
export async function tryServer(url: string): Promise<void> {
  const { createTransport } = await import("nodemailer");
  await createTransport({ ...transportOptions(url, SENDING_LIMITS), socketTimeout: CONNECT_MS }).verify();
}

/** The library loads with the first post: it brings `fetch`, which no process starts with. */
function smtpPost({ url, from, site }: Server, limits: typeof SENDING_LIMITS): Post {
  const library = import("nodemailer");
  const options = transportOptions(url, limits);
  return {
    from,
    site,
    kept: undefined,
    async send(mail, ending, onHandedOver = () => {}) {
      const { createTransport } = await library;
      const attempt = new Attempt(ending, limits, onHandedOver);
      try {
        await createTransport({ ...options, logger: attempt.log }).sendMail({
          from,
          to: { name: "", address: mail.address },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: mail.message_id,
          headers: headersOf(mail, site),
          signal: attempt.signal,
        });
        return "sent";
      } catch (error) {
        const isAnswered = isRecord(error) && error.responseCode !== undefined;
        if (attempt.isHandedOver && !isAnswered) return "unanswered";
        throw error;
      } finally {
        attempt.end();
      }
    },
  };
}

/** Ends an attempt that takes too long, or whose process ends. */
class Attempt {
  readonly #abort = new AbortController();
  readonly #ending: AbortSignal;
  readonly #limits: typeof SENDING_LIMITS;
  readonly #onHandedOver: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the server has all of the e-mail. */
  isHandedOver = false;

  constructor(ending: AbortSignal, limits: typeof SENDING_LIMITS, onHandedOver: () => void) {
    this.#ending = ending;
    this.#limits = limits;
    this.#onHandedOver = onHandedOver;
    this.#limit(limits.handOver);
    ending.addEventListener("abort", this.#hurry);
    if (ending.aborted) this.#hurry();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Only by its log does the library tell that all of an e-mail is with the server. */
  get log() {
    const ignore = () => {};
    const info = ({ tnx }: { tnx?: string }) => {
      if (tnx === "message") this.#handOver();
    };
    return { level: ignore, trace: ignore, debug: ignore, info, warn: ignore, error: ignore, fatal: ignore };
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#ending.removeEventListener("abort", this.#hurry);
  }

  #handOver(): void {
    this.isHandedOver = true;
    this.#limit(this.#ending.aborted ? this.#limits.lastAnswer : this.#limits.answer);
    this.#onHandedOver();
  }

  #hurry = () => {
    if (this.isHandedOver) this.#limit(this.#limits.lastAnswer);
    else this.#abort.abort();
  };

  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort.abort(), ms);
  }
}

function devPost(site: string): Post {
  const kept: Kept[] = [];
  return {
    from: "avisos@localhost",
    site,
    kept,
    async send(mail) {
      kept.unshift({ ...mail, headers: headersOf(mail, site) });
      kept.length = Math.min(kept.length, KEPT_MOST);
      return "sent";
    },
  };
}

/** RFC 8058: a mail reader ends them with one POST to this address. */
function headersOf({ unsubscribe_token: token }: MailRow, site: string): Record<string, string> {
  const common = { "Auto-Submitted": "auto-generated" };
  if (token === null) return common;
  return {
    ...common,
    "List-Unsubscribe": `<${site}/mail/unsubscribe?token=${token}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}
