import type { Request, Response } from "express";

/** Tells the caller the ETag of a response, and answers 304 if it has that. Returns whether it did. */
export function isKnown(etag: string, request: Request, response: Response): boolean {
  // Weak, because the response is compressed for those who accept it.
  response.setHeader("etag", `W/${etag}`);
  if (!includes(request.headers["if-none-match"], etag)) return false;
  response.statusCode = 304;
  response.end();
  return true;
}

/** RFC 9110, 13.1.2: a list, compared weakly, because compressing proxies weaken ETags. */
function includes(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags !== undefined && (tags.includes(etag) || tags.includes("*"));
}
