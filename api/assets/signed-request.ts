import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";

export type BucketKey = { accessKeyId: string; secretAccessKey: string; region: string };
type BucketRequest = { method: "GET" | "PUT"; url: URL; body?: Uint8Array; headers?: Record<string, string> };

const NOTHING: Uint8Array = new Uint8Array();

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
    headers: { ...headers, "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") },
    datetime: now.toISOString().replace(/[-:]|\.\d{3}/g, ""),
    allHeaders: true,
  });
  return Object.fromEntries((await signer.sign()).headers);
}
