import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request, Response } from "express";

type Encoding = "br" | "gzip";

/** Shorter ones do not get shorter. */
const WORTH_BYTES = 1_024;
const BROTLI_QUALITY = 8;

const COMPRESS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    return promisify(brotliCompress)(bytes, { params });
  },
  gzip: promisify(gzip),
};

/** An answer that many get: compressed once for all of them, in Node's threads. */
export class Prepared {
  readonly bytes: Buffer;
  /** Of the content, in whatever form. */
  readonly etag: string;
  readonly #isCompressible: boolean;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(bytes: Buffer, { isCompressible = true } = {}) {
    this.bytes = bytes;
    this.etag = `"${hash("sha256", bytes, "base64url").slice(0, 27)}"`;
    this.#isCompressible = isCompressible && bytes.length >= WORTH_BYTES;
  }

  /** Compresses now what is otherwise compressed for its first reader. */
  async prepare(): Promise<void> {
    if (this.#isCompressible) await Promise.all([this.#in("br"), this.#in("gzip")]);
  }

  #in(encoding: Encoding): Promise<Buffer> {
    const known = this.#compressed.get(encoding) ?? COMPRESS[encoding](this.bytes);
    this.#compressed.set(encoding, known);
    return known;
  }

  /** Answers in the shortest form that the caller takes. */
  async send(request: Request, response: Response): Promise<void> {
    const encoding = this.#isCompressible ? encodingFor(request) : undefined;
    const bytes = encoding ? await this.#in(encoding) : this.bytes;
    if (this.#isCompressible) response.vary("Accept-Encoding");
    if (encoding) response.setHeader("content-encoding", encoding);
    response.setHeader("content-length", bytes.length);
    response.end(request.method === "HEAD" ? undefined : bytes);
  }
}

function encodingFor(request: Request): Encoding | undefined {
  if (request.headers["accept-encoding"] === undefined) return undefined;
  if (request.acceptsEncodings("br")) return "br";
  return request.acceptsEncodings("gzip") ? "gzip" : undefined;
}
