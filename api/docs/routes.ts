import { createHash } from "node:crypto";
import { z } from "zod";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { escapeHtml } from "../../core/rules/text.ts";
import { type Route, route } from "../http/route.ts";
import { ERROR_REMEDIES } from "./error-remedies.ts";
import { type Operation, openApiDocument } from "./openapi.ts";

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem; }
h2 { margin-top: 3rem; text-transform: capitalize; }
details { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .5rem; margin: .5rem 0; padding: .5rem 1rem; }
summary { cursor: pointer; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre { overflow: auto; padding: .75rem; border-radius: .5rem; background: color-mix(in srgb, currentColor 8%, transparent); }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; text-transform: uppercase; }
`;

/** The document of all calls, including these two, as JSON and as a page. */
export function docsRoutes(others: readonly Route[]): Route[] {
  const all: Route[] = [
    ...others,
    route.get("/api/openapi.json", {
      access: "anyone",
      cost: { thread: 2, node: 0, stored: 0, mail: 0 },
      summary: "This document",
      responses: { 200: z.looseObject({ openapi: z.string() }) },
      handle: () => ({ text: document(), type: "application/json; charset=utf-8" }),
    }),
    route.get("/api/docs", {
      access: "anyone",
      cost: { thread: 2, node: 0, stored: 0, mail: 0 },
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

/** The document as a page without scripts, so that it works under the strictest Content Security Policy. */
function docsPage(routes: readonly Route[]): { html: string; policy: string } {
  const operations = Object.entries(openApiDocument(routes).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = [...Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? "")].map(
    ([tag, ofTag]) =>
      `<h2>${escapeHtml(tag)}</h2>${ofTag.map((one) => operationHtml(one.method, one.path, one.operation)).join("")}`,
  );
  const errors = Object.entries(ERROR_REMEDIES).map(
    ([code, remedy]) => `<li><code>${code}</code> ${escapeHtml(remedy)}</li>`,
  );
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${PRODUCT_NAME} API</title><style>${STYLE}</style></head><body><main><h1>${PRODUCT_NAME} API</h1><p>Made from the schemas that the server checks by; for programs: <a href="/api/openapi.json">openapi.json</a>. Every error is <code>{ success: false, error, message, code, request_id }</code>; <a href="#errors">what to do about each code</a>.</p>${sections.join("")}<h2 id="errors">Errors</h2><ul>${errors.join("")}</ul></main></body></html>`;
  const styleHash = createHash("sha256").update(STYLE).digest("base64");
  return {
    html,
    policy: `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
  };
}

function operationHtml(method: string, path: string, operation: Operation): string {
  const body = operation.requestBody?.content["application/json"];
  const parameters = (operation.parameters ?? []).map(
    (one) => `<li><code>${escapeHtml(one.name)}</code> (${escapeHtml(one.in)})</li>`,
  );
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => `<li><code>${status}</code> ${escapeHtml(response.description)}</li>`,
  );
  const answer = operation.responses["200"]?.content?.["application/json"]?.schema;
  return `<details><summary><span class="method">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(operation.summary)}</summary><p>${escapeHtml(operation.description)}</p>${parameters.length ? `<ul>${parameters.join("")}</ul>` : ""}${jsonHtml("Example", body?.example)}${jsonHtml("Body", body?.schema)}${jsonHtml("Response", answer)}<ul>${responses.join("")}</ul></details>`;
}

function jsonHtml(title: string, value: unknown): string {
  return value === undefined ? "" : `<h3>${title}</h3><pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
}
