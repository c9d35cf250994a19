import { expect } from "chai";
import { signedHeaders } from "../../api/assets/asset-store.ts";

const KEY = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const NOW = new Date("2013-05-24T00:00:00Z");
const BUCKET = "https://examplebucket.s3.amazonaws.com";

/** The examples of Amazon's "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)". */
describe("A request to a bucket is signed as Amazon's examples are", () => {
  const signatureOf = async (request: Parameters<typeof signedHeaders>[1]) =>
    /Signature=(\w+)$/.exec((await signedHeaders(KEY, request, NOW)).authorization ?? "")?.[1];

  it("GET of an object, with a range", async () => {
    const request = { method: "GET", url: new URL(`${BUCKET}/test.txt`), headers: { range: "bytes=0-9" } } as const;
    expect(await signatureOf(request)).to.equal("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  });
  it("PUT of an object", async () => {
    const headers = { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" };
    const body = new TextEncoder().encode("Welcome to Amazon S3.");
    expect(await signatureOf({ method: "PUT", url: new URL(`${BUCKET}/test$file.text`), headers, body })).to.equal(
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    );
  });
  it("GET with a query", async () => {
    expect(await signatureOf({ method: "GET", url: new URL(`${BUCKET}/?lifecycle`) })).to.equal(
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    );
    expect(await signatureOf({ method: "GET", url: new URL(`${BUCKET}/?max-keys=2&prefix=J`) })).to.equal(
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    );
  });
});
