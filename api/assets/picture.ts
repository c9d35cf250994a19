import { crc32 } from "node:zlib";
import { TorcidaError } from "../../core/rules/torcida-error.ts";
import { LOGO_SIDE_PIXELS } from "../../core/rules/uploads.ts";
import { ApiError, invalid } from "../http/api-error.ts";

/** A picture rebuilt from its image data alone. */
export type Picture = {
  type: "image/png" | "image/jpeg" | "image/webp";
  ending: "png" | "jpg" | "webp";
  bytes: Buffer;
};

/** The file is not a supported picture, or is damaged. */
export class PictureError extends TorcidaError {
  override readonly docs = "docs/product.md#panel-logo";
}

const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const JPEG_START = Buffer.from("ffd8ff", "hex");
/** The chunks to keep: header, palette, pixels, transparency and colours. */
const PNG_CHUNKS = ["IHDR", "PLTE", "tRNS", "gAMA", "sRGB", "cHRM", "IDAT", "IEND"];
const WEBP_CHUNKS = ["VP8 ", "VP8L", "VP8X", "ALPH"];

/**
 * Detects a picture by its content, whatever its name and type. Everything except image data (text, profiles,
 * thumbnails, scripts, an appended file) is dropped.
 * @throws PictureError
 */
export function readPicture(file: Buffer): Picture {
  if (file.subarray(0, 8).equals(PNG_SIGNATURE)) return { type: "image/png", ending: "png", bytes: cleanPng(file) };
  if (file.subarray(0, 3).equals(JPEG_START)) return { type: "image/jpeg", ending: "jpg", bytes: cleanJpeg(file) };
  if (text(file, 0) === "RIFF" && text(file, 8) === "WEBP")
    return { type: "image/webp", ending: "webp", bytes: cleanWebp(file) };
  throw new PictureError("The file must be a PNG, JPEG or WebP picture");
}

function cleanPng(file: Buffer): Buffer {
  const kept: Buffer[] = [PNG_SIGNATURE];
  let hasPixels = false;
  for (let at = 8; ; ) {
    const length = read32(file, at);
    const type = text(file, at + 4);
    const end = at + 12 + length;
    if (length > file.length || end > file.length) throw damaged();
    if (at === 8) {
      if (type !== "IHDR" || length !== 13) throw damaged();
      requireSize(read32(file, at + 8), read32(file, at + 12));
    }
    if (type === "IHDR" && at !== 8) throw damaged();
    if (crc32(file.subarray(at + 4, end - 4)) !== read32(file, end - 4)) throw damaged();
    if (PNG_CHUNKS.includes(type)) kept.push(file.subarray(at, end));
    // A chunk whose name starts with a capital is critical and must be understood.
    else if (/^[A-Z]/.test(type)) throw damaged();
    if (type === "IDAT") hasPixels = true;
    if (type === "IEND" && !hasPixels) throw damaged();
    if (type === "IEND") return Buffer.concat(kept);
    at = end;
  }
}

/** Keeps the segments that the pixels need, up to the end of the picture. */
function cleanJpeg(file: Buffer): Buffer {
  const kept: Buffer[] = [file.subarray(0, 2)];
  let hasSize = false;
  for (let at = 2; ; ) {
    if (file[at] !== 0xff) throw damaged();
    const marker = file[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) {
      if (!hasSize) throw damaged();
      return Buffer.concat([...kept, file.subarray(at, at + 2)]);
    }
    const length = read16(file, at + 2);
    if (length < 2 || at + 2 + length > file.length) throw damaged();
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      requireSize(read16(file, at + 7), read16(file, at + 5));
      hasSize = true;
    }
    // Application data and comments are dropped, except APP14, which defines the colour encoding.
    const isDrawing = !((marker >= 0xe0 && marker <= 0xef && marker !== 0xee) || marker === 0xfe);
    if (isDrawing) kept.push(file.subarray(at, at + 2 + length));
    at += 2 + length;
    if (marker === 0xda) {
      const end = endOfScan(file, at);
      kept.push(file.subarray(at, end));
      at = end;
    }
  }
}

/** The pixels follow a scan's header; in them, FF is followed by 00 or a restart marker. */
function endOfScan(file: Buffer, start: number): number {
  for (let at = file.indexOf(0xff, start); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at + 2)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw damaged();
}

function cleanWebp(file: Buffer): Buffer {
  if (file.length < 20) throw damaged();
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) throw damaged();
  const kept: Buffer[] = [];
  for (let at = 12; at + 8 <= end; ) {
    const type = text(file, at);
    const length = file.readUInt32LE(at + 4);
    const next = at + 8 + length + (length % 2);
    if (next > end + 1) throw damaged();
    if (WEBP_CHUNKS.includes(type)) kept.push(webpChunk(type, file.subarray(at, Math.min(next, end))));
    at = next;
  }
  const drawing = kept.find((chunk) => ["VP8 ", "VP8L"].includes(text(chunk, 0)));
  if (!drawing) throw damaged();
  requireSize(...sizeOfWebp(drawing));
  const body = Buffer.concat(kept);
  const header = Buffer.alloc(12);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(body.length + 4, 4);
  header.write("WEBP", 8, "latin1");
  return Buffer.concat([header, body]);
}

/** The flags of the extended header list what follows; only transparency is kept. */
function webpChunk(type: string, chunk: Buffer): Buffer {
  if (type !== "VP8X") return chunk;
  const copy = Buffer.from(chunk);
  copy[8] = (copy[8] ?? 0) & 0x10;
  return copy;
}

function sizeOfWebp(chunk: Buffer): [number, number] {
  if (chunk.length < 18) throw damaged();
  if (text(chunk, 0) === "VP8L") {
    if (chunk[8] !== 0x2f) throw damaged();
    const bits = chunk.readUInt32LE(9);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  }
  if (chunk.readUIntBE(11, 3) !== 0x9d012a) throw damaged();
  return [chunk.readUInt16LE(14) & 0x3fff, chunk.readUInt16LE(16) & 0x3fff];
}

function requireSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw damaged();
  if (width > LOGO_SIDE_PIXELS || height > LOGO_SIDE_PIXELS)
    throw new PictureError(
      `The picture has ${width} × ${height} pixels; at most ${LOGO_SIDE_PIXELS} × ${LOGO_SIDE_PIXELS}`,
    );
}

function read32(file: Buffer, at: number): number {
  if (at + 4 > file.length) throw damaged();
  return file.readUInt32BE(at);
}

function read16(file: Buffer, at: number): number {
  if (at + 2 > file.length) throw damaged();
  return file.readUInt16BE(at);
}

function text(file: Buffer, at: number): string {
  return file.toString("latin1", at, at + 4);
}

function damaged(): PictureError {
  return new PictureError("The picture is damaged: save it again, then upload it again");
}

/** The media types of a picture's endings. */
export const TYPES: Record<string, string> = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" };
export const PICTURE_TYPES = Object.values(TYPES);

/** The picture that is a request's body. @throws ApiError */
export function pictureIn(bytes: Buffer): Picture {
  if (bytes.length === 0) throw invalid("The body is empty; send the picture itself");
  try {
    return readPicture(bytes);
  } catch (error) {
    if (error instanceof PictureError) throw new ApiError(415, "NOT_A_PICTURE", error.message);
    throw error;
  }
}
