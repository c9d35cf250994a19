import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { HOUR_MS, MINUTE_MS } from "../rules/iso-time.ts";
import { SYSTEM_FAULTS } from "../rules/system-faults.ts";

const PATIENCE_MS = 5_000;
const SOON_MS = SYSTEM_FAULTS.certificate_ends.seconds * 1_000;

/**
 * When the certificate of an https:// site ends, by a handshake of at most five seconds; also of one that is not
 * trusted, or has ended. In ms.
 * @throws Error if the site does not answer here, or shows none
 */
export async function readCertificateEnd({ hostname, port }: URL): Promise<number> {
  const socket = connect({
    host: hostname,
    port: Number(port || 443),
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    rejectUnauthorized: false,
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(PATIENCE_MS) });
    const endsAt = Date.parse(socket.getPeerCertificate().valid_to);
    if (Number.isNaN(endsAt)) throw new Error(`${hostname} showed no certificate`);
    return endsAt;
  } finally {
    // A destroyed socket may still report an error.
    socket.on("error", () => {}).destroy();
  }
}

/** In words, if it ends within a week, or has ended. */
export function certificateProblem({ hostname }: URL, endsAt: number, now = Date.now()): string | undefined {
  if (endsAt - now >= SOON_MS) return undefined;
  const hours = Math.floor(Math.abs(endsAt - now) / HOUR_MS);
  const time = hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
  return `The certificate of ${hostname} ${endsAt > now ? `ends in ${time}` : `ended ${time} ago`}`;
}

/**
 * The certificate of our own site, looked at once an hour, and every five minutes while it ends soon or has not been
 * seen. A site that does not answer here keeps what was last seen: that it is away is told from outside.
 */
export class CertificateWatch {
  readonly #site: URL | undefined;
  #endsAt: number | undefined;
  #nextLookAt = 0;

  /** Watches nothing if the site is not https. */
  constructor(site: string | undefined) {
    this.#site = site?.startsWith("https:") ? new URL(site) : undefined;
  }

  /** As known now; never waits for the site. */
  problem(now = Date.now()): string | undefined {
    if (!this.#site) return undefined;
    if (now >= this.#nextLookAt) void this.look(now);
    return this.#endsAt === undefined ? undefined : certificateProblem(this.#site, this.#endsAt, now);
  }

  async look(now = Date.now()): Promise<void> {
    if (!this.#site) return;
    this.#nextLookAt = now + 5 * MINUTE_MS;
    const endsAt = await readCertificateEnd(this.#site).catch(() => undefined);
    if (endsAt === undefined) return;
    this.#endsAt = endsAt;
    if (certificateProblem(this.#site, endsAt, now) === undefined) this.#nextLookAt = now + HOUR_MS;
  }
}
