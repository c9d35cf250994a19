import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { RequestHandler } from "express";
import { codeOf } from "../../core/rules/unknown-error.ts";
import { isKnown } from "../http/etag.ts";
import { Prepared } from "../http/prepared.ts";

const YEAR_S = 31_536_000;
const COMPRESSIBLE = /\.(?:css|html|js|json|map|svg|txt|webmanifest|xml)$/;

const HASHED = "/assets/";

export type StaticFiles = ReadonlyMap<string, { content: Prepared; isHashed: boolean }>;

/**
 * The files of the built web app, read and compressed once and answered from memory: no request opens a file, and a
 * build beside the running process changes nothing. Those of other builds come from the database.
 */
export function serveStaticFiles(
  files: StaticFiles,
  findOther: (path: string) => Promise<Prepared | undefined>,
): RequestHandler {
  for (const { content } of files.values()) void content.prepare();
  return async (request, response, next) => {
    if (request.method !== "GET" && request.method !== "HEAD") return next();
    const own = files.get(request.path);
    const isHashed = own?.isHashed ?? request.path.startsWith(HASHED);
    // A part that is not here now may be here soon: nobody keeps its 404.
    if (isHashed) response.setHeader("cache-control", "no-store");
    const content = own?.content ?? (isHashed ? await findOther(request.path) : undefined);
    if (!content) return next();
    response.setHeader("cache-control", isHashed ? `public, max-age=${YEAR_S}, immutable` : "no-cache");
    if (isKnown(content.etag, request, response)) return;
    response.type(extname(request.path));
    await content.send(request, response);
  };
}

/** By their path in a URL. Those whose name starts with a dot are the build's own. */
export function readStaticFiles(directory: string): StaticFiles {
  const names = namesIn(directory).filter((name) => !name.split("/").some((part) => part.startsWith(".")));
  return new Map(
    names.map((name) => {
      const bytes = readFileSync(join(directory, name));
      const content = new Prepared(bytes, { isCompressible: COMPRESSIBLE.test(name) });
      const path = `/${encodeURI(name)}`;
      return [path, { content, isHashed: path.startsWith(HASHED) }];
    }),
  );
}

function namesIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ parentPath, name }) => join(parentPath, name).slice(join(directory, "/").length));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String(codeOf(error)))) return [];
    throw error;
  }
}
