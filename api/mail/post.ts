import { isLoopbackHost } from "../../platform/network-rules.ts";
import type { ApiEnvironment } from "../environment.ts";
import type { MailRow } from "./mails.ts";

/** How e-mails leave, and where their links lead. */
export type Post = {
  from: string;
  /** The site's origin. */
  site: string;
  /** @throws the server's error */
  send(mail: MailRow): Promise<void>;
  /** The last e-mails, on a machine that has no server for them: the newest first. */
  kept: readonly Kept[] | undefined;
};
export type Kept = Omit<MailRow, "id"> & { headers: Record<string, string> };

const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;
const KEPT_MOST = 50;

/**
 * The SMTP server if one is configured. Otherwise, on the local chain alone and only if no other machine can call the
 * api, `/dev/mail` keeps the last ones. Undefined: no e-mails are sent. docs/product.md#mail
 */
export function openPost(environment: ApiEnvironment): Post | undefined {
  const { SMTP_URL: url, MAIL_FROM: from, PUBLIC_URL, HOST, PORT, isLocal } = environment;
  const site = new URL(PUBLIC_URL ?? `http://localhost:${PORT}`).origin;
  if (url !== undefined && from !== undefined) return smtpPost(url, from, site);
  return isLocal && isLoopbackHost(HOST) ? devPost(site) : undefined;
}

/** The library loads with the first post: it brings `fetch`, which no process starts with. */
function smtpPost(url: string, from: string, site: string): Post {
  const transport = import("nodemailer").then(({ createTransport }) =>
    createTransport({
      url,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: ANSWER_MS,
      // Passwords and addresses go over the net only encrypted.
      requireTLS: !isLoopbackHost(new URL(url).hostname),
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  return {
    from,
    site,
    kept: undefined,
    async send(mail) {
      await (await transport).sendMail({
        from,
        to: { name: "", address: mail.address },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: mail.message_id,
        headers: headersOf(mail, site),
      });
    },
  };
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
