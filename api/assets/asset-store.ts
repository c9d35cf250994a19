import { hash, randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import { ensureDirectory } from "../../core/database/private-files.ts";
import { askOutside } from "../../core/process/outside.ts";
import { TorcidaError } from "../../core/rules/torcida-error.ts";
import { codeOf, messageOf } from "../../core/rules/unknown-error.ts";

type BucketKey = { accessKeyId: string; secretAccessKey: string; region: string };
type BucketRequest = { method: "GET" | "PUT"; url: URL; body?: Uint8Array; headers?: Record<string, string> };

const NOTHING: Uint8Array = new Uint8Array();

/** Storage for uploaded pictures. A name is the hash of the content, so stored files never change. */
export type AssetStore = {
  write(name: string, bytes: Buffer, type: string): Promise<void>;
  read(name: string): Promise<Buffer | undefined>;
};

/** The bucket cannot store or return a picture now. */
export class AssetStoreError extends TorcidaError {
  override readonly docs = "docs/product.md#panel-logo";
}

const BUCKET_TIMEOUT_MS = 4_000;

/** A directory, or an S3-compatible bucket: `https://KEY:SECRET@host/bucket?region=…`. docs/product.md#panel-logo */
export function openAssetStore(assetsUrl: string | undefined, dataDirectory: string): AssetStore {
  return assetsUrl === undefined ? folderStore(join(dataDirectory, "assets")) : bucketStore(new URL(assetsUrl));
}

function folderStore(folder: string): AssetStore {
  return {
    async write(name, bytes) {
      ensureDirectory(folder);
      // Concurrent readers see the whole picture or none.
      const part = join(folder, `${randomUUID()}.part`);
      await writeFile(part, bytes, { mode: 0o600 });
      await rename(part, join(folder, name));
    },
    async read(name) {
      try {
        return await readFile(join(folder, name));
      } catch (error) {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}

function bucketStore(bucket: URL): AssetStore {
  const key = {
    accessKeyId: decodeURIComponent(bucket.username),
    secretAccessKey: decodeURIComponent(bucket.password),
    region: bucket.searchParams.get("region") ?? "auto",
  };
  const call = async (name: string, upload?: { body: Uint8Array<ArrayBuffer>; type: string }) => {
    const url = new URL(`${bucket.origin}${bucket.pathname.replace(/\/$/, "")}/${name}`);
    const method = upload ? "PUT" : "GET";
    const body = upload ? { body: upload.body } : {};
    const type: Record<string, string> = upload ? { "content-type": upload.type } : {};
    const headers = await signedHeaders(key, { method, url, headers: type, ...body });
    try {
      return await askOutside(url, { method, headers, ...body, signal: AbortSignal.timeout(BUCKET_TIMEOUT_MS) });
    } catch (error) {
      throw new AssetStoreError(`The bucket does not answer (${messageOf(error)})`);
    }
  };
  return {
    async write(name, bytes, type) {
      const response = await call(name, { body: new Uint8Array(bytes), type });
      if (!response.ok) throw new AssetStoreError(`The bucket answered ${response.status}`);
    },
    async read(name) {
      const response = await call(name);
      if (response.status === 404) return undefined;
      if (!response.ok) throw new AssetStoreError(`The bucket answered ${response.status}`);
      return response.bytes;
    },
  };
}

/** The headers of a request to a bucket, all of them signed with AWS Signature Version 4. */
export async function signedHeaders(
  key: BucketKey,
  { method, url, body = NOTHING, headers = {} }: BucketRequest,
  now = new Date(),
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    ...key,
    service: "s3",
    method,
    url: url.href,
    headers: { ...headers, "x-amz-content-sha256": hash("sha256", body) },
    datetime: now.toISOString().replace(/[-:]|\.\d{3}/g, ""),
    allHeaders: true,
  });
  return Object.fromEntries((await signer.sign()).headers);
}
