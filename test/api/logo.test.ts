import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import { signedHeaders } from "../../api/assets/asset-store.ts";
import { PictureError, readPicture } from "../../api/assets/picture.ts";
import { connect } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";
import { chunk, png } from "./support/png.ts";

const SCRIPT = "<script>alert(document.domain)</script>";
const SVG = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`);
/** One pixel. */
const JPEG = Buffer.from(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
  "base64",
);
const WEBP = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");

describe("An uploaded picture", () => {
  it("is rebuilt from its image data alone", () => {
    const dirty = png(2, 2, [chunk("tEXt", Buffer.from(`Comment\0${SCRIPT}`)), chunk("eXIf", Buffer.from(SCRIPT))]);
    const polyglot = Buffer.concat([dirty, Buffer.from(SCRIPT), SVG]);
    expect(readPicture(polyglot)).to.deep.equal({ type: "image/png", ending: "png", bytes: png(2, 2) });
    const comment = Buffer.concat([
      Buffer.from("fffe", "hex"),
      Buffer.from([0, SCRIPT.length + 2]),
      Buffer.from(SCRIPT),
    ]);
    const jpeg = readPicture(Buffer.concat([JPEG.subarray(0, 2), comment, JPEG.subarray(2), END, Buffer.from(SCRIPT)]));
    expect(jpeg.type).to.equal("image/jpeg");
    expect(jpeg.bytes.includes("script")).to.equal(false);
    expect(jpeg.bytes.subarray(-2)).to.deep.equal(END);
    expect(readPicture(jpeg.bytes).bytes, "again").to.deep.equal(jpeg.bytes);
    const webp = readPicture(Buffer.concat([WEBP, Buffer.from(SCRIPT)]));
    expect(webp).to.deep.include({ type: "image/webp", bytes: WEBP });
  });

  it("is rejected if it is not a picture, is damaged or has too many pixels", () => {
    const html = Buffer.from(`<!doctype html>${SCRIPT}`);
    const gif = Buffer.from("GIF89a=alert(1)//");
    const bomb = png(60_000, 60_000);
    const cut = png(2, 2).subarray(0, 40);
    const half = JPEG.subarray(0, 60);
    const changed = Buffer.from(png(2, 2));
    changed.writeUInt8(0x55, changed.length - 20);
    const twice = png(2, 2, [png(60_000, 60_000).subarray(8, 33)]);
    const empty = Buffer.concat([png(2, 2).subarray(0, 33), chunk("IEND", Buffer.alloc(0))]);
    const cases = [
      SVG,
      html,
      gif,
      bomb,
      cut,
      changed,
      twice,
      empty,
      half,
      JPEG,
      WEBP.subarray(0, 24),
      Buffer.from("RIFF"),
      Buffer.alloc(0),
    ];
    for (const [index, file] of [...cases, png(2, 2).subarray(0, 8)].entries())
      expect(() => readPicture(file), String(index)).to.throw(PictureError);
    // Whatever the input, the result is a picture or an error.
    for (const start of [png(2, 2), Buffer.concat([JPEG, END]), WEBP])
      for (let at = 0; at < start.length; at++)
        for (const value of [0x00, 0x7f, 0xff]) {
          const file = Buffer.from(start);
          file[at] = value;
          try {
            readPicture(file);
          } catch (error) {
            expect(error, `${start.subarray(0, 4).toString("hex")} ${at}`).to.be.instanceOf(PictureError);
          }
        }
  });
});

describe("The logo of a store", () => {
  let directory: string;
  let api: InProcessApi;
  let bucket: Bucket;

  const start = async (more: Record<string, string>) => {
    const database = await connect(join(directory, "torcida.db"));
    await migrate(database);
    api = await startInProcess(database, { DATA_DIR: directory, ...more });
  };

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "torcida-logo-"));
    bucket = await startBucket();
  });
  afterEach(async () => {
    await api.stop();
    await api.services.database.close();
    bucket.server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const upload = (token: string, body: Buffer, type = "image/png") =>
    fetch(`${api.url}/api/admin/stores/1/logo`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": type },
      body: new Uint8Array(body),
    });

  it("is stored under its content hash, public, and never executable", async () => {
    await start({});
    const admin = await api.admin("catalogue");
    // The caller's content type is ignored.
    const answer = await upload(admin.token, Buffer.concat([png(3, 3), SVG]), "image/svg+xml");
    const { logo } = (await answer.json()) as { logo: string };
    expect(logo).to.equal(`/api/assets/${createHash("sha256").update(png(3, 3)).digest("hex")}.png`);
    expect((await admin.get("/api/stores/1")).body.store.logo).to.equal(logo);
    const shown = await fetch(`${api.url}${logo}`);
    expect(Object.fromEntries(shown.headers)).to.include({
      "content-type": "image/png",
      "content-disposition": "attachment",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "public, max-age=31536000, immutable",
    });
    expect(Buffer.from(await shown.arrayBuffer())).to.deep.equal(png(3, 3));
    const [file = ""] = readdirSync(join(directory, "assets"));
    expect(statSync(join(directory, "assets", file)).mode & 0o777).to.equal(0o600);
    expect(readFileSync(join(directory, "assets", file))).to.deep.equal(png(3, 3));
    const kept = await admin.send("PUT", "/api/store/1", JSON.stringify({ logo }));
    expect(kept.status, "the form sends it back").to.equal(200);
    const [entry] = (await admin.get("/api/admin/audit-log?query=store.logo&limit=1")).body.rows;
    expect(entry.params).to.deep.equal({ logo, store: (await admin.get("/api/stores/1")).body.store.name });
  });

  it("rejects other files, large files, callers without permission, and path traversal", async () => {
    await start({});
    const admin = await api.admin("catalogue");
    for (const file of [SVG, Buffer.from(`<!doctype html>${SCRIPT}`), Buffer.from("GIF89a")]) {
      const refused = await upload(admin.token, file, "image/png");
      expect([refused.status, ((await refused.json()) as { code: string }).code]).to.deep.equal([415, "NOT_A_PICTURE"]);
    }
    expect((await upload(admin.token, Buffer.alloc(0))).status).to.equal(400);
    expect((await upload(admin.token, Buffer.alloc(600 * 1024))).status).to.equal(413);
    expect((await upload((await api.admin("operator")).token, png(2, 2))).status).to.equal(403);
    expect((await upload("", png(2, 2))).status).to.equal(401);
    for (const name of ["..%2Ftorcida.db", "torcida.db", `${"a".repeat(64)}.svg`, `${"a".repeat(64)}.png`])
      expectRefusal(await admin.get(`/api/assets/${name}`), 404, "NOT_FOUND");
    expectRefusal(await admin.send("PUT", "/api/store/1", '{"logo":"/api/assets/../x"}'), 400, "INVALID_REQUEST");
  });

  it("is stored in the bucket if one is configured, and reports an unavailable bucket", async () => {
    await start({ ASSETS_URL: `http://key:secret@127.0.0.1:${bucket.port}/logos?region=sa-east-1` });
    const admin = await api.admin("catalogue");
    const { logo } = (await (await upload(admin.token, png(2, 2))).json()) as { logo: string };
    expect([...bucket.files.keys()]).to.deep.equal([logo.replace("/api/assets", "/logos")]);
    expect(Buffer.from(await (await fetch(`${api.url}${logo}`)).arrayBuffer())).to.deep.equal(png(2, 2));
    expect(bucket.refused).to.equal(0);
    bucket.isAway = true;
    expectRefusal(await admin.get(logo), 503, "ASSETS_UNAVAILABLE");
    expect((await upload(admin.token, png(5, 5))).status).to.equal(503);
  });
});

const END = Buffer.from("ffd9", "hex");

type Bucket = { server: Server; port: number; files: Map<string, Buffer>; isAway: boolean; refused: number };

/** A bucket that accepts requests signed with its key. */
async function startBucket(): Promise<Bucket> {
  const key = { accessKeyId: "key", secretAccessKey: "secret", region: "sa-east-1" };
  const bucket: Bucket = { server: createServer(), port: 0, files: new Map(), isAway: false, refused: 0 };
  bucket.server.on("request", async (request, response) => {
    const body = await buffer(request);
    const method = request.method === "PUT" ? "PUT" : "GET";
    const date = String(request.headers["x-amz-date"]).replace(/(....)(..)(..)T(..)(..)(..)Z/, "$1-$2-$3T$4:$5:$6Z");
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const headers: Record<string, string> =
      method === "PUT" ? { "content-type": String(request.headers["content-type"]) } : {};
    const expected = await signedHeaders(key, { method, url, body, headers }, new Date(date));
    if (bucket.isAway) return void response.writeHead(500).end();
    if (request.headers.authorization !== expected.authorization) {
      bucket.refused += 1;
      return void response.writeHead(403).end();
    }
    if (method === "PUT") bucket.files.set(url.pathname, body);
    const file = bucket.files.get(url.pathname);
    response.writeHead(file ? 200 : 404).end(method === "GET" ? file : undefined);
  });
  await new Promise<void>((resolve) => bucket.server.listen(0, "127.0.0.1", resolve));
  bucket.port = (bucket.server.address() as AddressInfo).port;
  return bucket;
}
