import { z } from "zod";
import { type Route, route } from "../http/route.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";

/** The document of all calls, including these two, as JSON and as a page. */
export function docsRoutes(others: readonly Route[]): Route[] {
  const all: Route[] = [
    ...others,
    route({
      method: "get",
      path: "/api/openapi.json",
      access: "anyone",
      summary: "This document",
      responses: { 200: z.looseObject({ openapi: z.string() }) },
      handle: () => ({ text: document(), type: "application/json; charset=utf-8" }),
    }),
    route({
      method: "get",
      path: "/api/docs",
      access: "anyone",
      summary: "This document as a page",
      responses: { 200: { type: "text/html" } },
      handle() {
        const { html, policy } = page();
        return { text: html, type: "text/html; charset=utf-8", headers: { "content-security-policy": policy } };
      },
    }),
  ];
  const document = once(() => JSON.stringify(openApiDocument(all)));
  const page = once(() => docsPage(all));
  return all;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
