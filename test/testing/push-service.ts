import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Pushed = {
  path: string;
  topic: string;
  ttl: number;
  /** Who sent it, by a signature that holds. */
  subject: string;
  message: { title: string; body?: string; tag: string; path: string };
};

/** A browser's subscription, with the key that reads its messages. RFC 8291 */
export class TestDevice {
  readonly endpoint: string;
  readonly #pair = createECDH("prime256v1");
  readonly #auth = randomBytes(16);

  constructor(service: string) {
    this.#pair.generateKeys();
    this.endpoint = `${service}/push/${randomBytes(12).toString("base64url")}`;
  }

  get subscription() {
    const keys = { p256dh: this.#pair.getPublicKey("base64url"), auth: this.#auth.toString("base64url") };
    return { endpoint: this.endpoint, keys };
  }

  /** Decrypts `aes128gcm` of one record. RFC 8188 */
  read(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const length = body.readUInt8(20);
    const sender = body.subarray(21, 21 + length);
    const sealed = body.subarray(21 + length);
    const shared = this.#pair.computeSecret(sender);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#pair.getPublicKey(), sender]);
    const secret = Buffer.from(hkdfSync("sha256", shared, this.#auth, info, 32));
    const key = (name: string, bytes: number) =>
      Buffer.from(hkdfSync("sha256", secret, salt, `Content-Encoding: ${name}\0`, bytes));
    const decipher = createDecipheriv("aes-128-gcm", key("aes128gcm", 16), key("nonce", 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString("utf8");
  }
}

type Answer = { status: number; headers?: Record<string, string> };

/** A real push service on loopback, which reads what devices read, and can be away, busy or silent. */
export class PushService {
  readonly received: Pushed[] = [];
  /** By the path of a device; otherwise 201. */
  readonly answers = new Map<string, Answer | "silent">();
  /** What it said, in order. */
  readonly said: number[] = [];
  /** How many calls it left without an answer. */
  silences = 0;
  /** Paths that were called and are no device's. */
  readonly strange: string[] = [];
  readonly #devices = new Map<string, TestDevice>();
  readonly #host: string;
  #server: Server | undefined;
  url = "";

  constructor(host = "127.0.0.1") {
    this.#host = host;
  }

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const path = request.url ?? "";
      const device = this.#devices.get(path);
      if (!device) {
        this.strange.push(path);
        return this.#say(response, { status: 404 });
      }
      const { topic, ttl, authorization = "" } = request.headers;
      this.received.push({
        ...{
          path,
          topic: String(topic),
          ttl: Number(ttl),
          subject: subjectOf(authorization, new URL(this.url).origin),
        },
        message: JSON.parse(device.read(Buffer.concat(chunks))),
      });
      const answer = this.answers.get(path) ?? { status: 201 };
      if (answer === "silent") this.silences += 1;
      else this.#say(response, answer);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#server = server;
    this.url = `http://${this.#host}:${(server.address() as AddressInfo).port}`;
  }

  #say(response: ServerResponse, { status, headers = {} }: Answer): void {
    this.said.push(status);
    response.writeHead(status, headers).end();
  }

  newDevice(): TestDevice & { path: string } {
    const device = new TestDevice(this.url);
    const { pathname: path } = new URL(device.endpoint);
    this.#devices.set(path, device);
    return Object.assign(device, { path });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()).closeAllConnections() : resolve()));
  }
}

/** Checks the signature of a message and for whom it is. RFC 8292 */
function subjectOf(authorization: string, audience: string): string {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const signed = Buffer.from(`${head}.${claims}`);
  const isRight = verify(
    "sha256",
    signed,
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString());
  return isRight && aud === audience && exp > Date.now() / 1_000 ? sub : "nobody";
}
