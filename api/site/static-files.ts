import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { RequestHandler } from "express";
import { codeOf } from "../../core/rules/unknown-error.ts";
import { isKnown } from "../http/etag.ts";
import { Prepared } from "../http/prepared.ts";

const YEAR_S = 31_536_000;
const COMPRESSIBLE = /\.(?:css|html|js|json|map|svg|txt|webmanifest|xml)$/;

type StaticFile = { name: string; content: Prepared; isHashed: boolean };

/**
 * The files of the built web app, read and compressed once and answered from memory: no request opens a file, and a
 * build beside the running process changes nothing.
 */
export function serveStaticFiles(directory: string): RequestHandler {
  const files = readStaticFiles(directory);
  for (const { content } of files.values()) void content.prepare();
  return async (request, response, next) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const file = isRead ? files.get(request.path) : undefined;
    if (!file) return next();
    response.setHeader("cache-control", file.isHashed ? `public, max-age=${YEAR_S}, immutable` : "no-cache");
    if (isKnown(file.content.etag, request, response)) return;
    response.type(extname(file.name));
    await file.content.send(request, response);
  };
}

/** By their path in a URL. Those whose name starts with a dot are the build's own. */
function readStaticFiles(directory: string): Map<string, StaticFile> {
  const names = namesIn(directory).filter((name) => !name.split("/").some((part) => part.startsWith(".")));
  return new Map(
    names.map((name) => {
      const bytes = readFileSync(join(directory, name));
      const content = new Prepared(bytes, { isCompressible: COMPRESSIBLE.test(name) });
      return [`/${encodeURI(name)}`, { name, content, isHashed: name.startsWith("assets/") }];
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
