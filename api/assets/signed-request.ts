import { createHash, createHmac } from "node:crypto";

export type BucketKey = { accessKeyId: string; secretAccessKey: string; region: string };

const NOTHING: Uint8Array = new Uint8Array();

/** The headers of a request to a bucket, signed with AWS Signature Version 4. The path needs no encoding. */
export function signedHeaders(
  key: BucketKey,
  { method, url, body = NOTHING, type }: { method: "GET" | "PUT"; url: URL; body?: Uint8Array; type?: string },
  now = new Date(),
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const contentHash = sha256(body);
  const headers: Record<string, string> = {
    ...(type === undefined ? {} : { "content-type": type }),
    host: url.host,
    "x-amz-content-sha256": contentHash,
    "x-amz-date": time,
  };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const request = [method, url.pathname, "", lines.join(""), names, contentHash].join("\n");
  const scope = `${day}/${key.region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n");
  const signing = [day, key.region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`);
  const signature = hmac(signing, text).toString("hex");
  const { host: _, ...sent } = headers;
  const authorization = `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
