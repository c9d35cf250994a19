import { openApiDocument } from "../../../api/docs/openapi.ts";
import { allRoutes } from "../../../api/routes.ts";
import { isRecord } from "../../../core/rules/records.ts";
import { servicesAlone } from "../../api/support/services-alone.ts";

type Schema = {
  $ref?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
} & Partial<Record<"anyOf" | "oneOf" | "allOf", Schema[]>>;
type Responses = Record<string, { content?: Record<string, { schema?: Schema }> }>;
type Document = {
  paths: Record<string, Record<string, { responses: Responses }>>;
  components: { schemas: Record<string, Schema> };
};

/** How an answer of another version differs: each word is foreign, nothing optional is there, or no list has a row. */
export const CHANGES = ["foreign words", "without optional fields", "with empty lists"] as const;
export type Change = (typeof CHANGES)[number];

export const FOREIGN_WORD = "word_of_tomorrow";

/** Makes answers of today's schemas such as another version may give: `GET /api/me` and its body. */
export function answersOf(change: Change): (route: string, body: unknown) => unknown {
  const document: Document = JSON.parse(JSON.stringify(openApiDocument(allRoutes(servicesAlone()))));
  const { schemas } = document.components;
  const calls = Object.entries(document.paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    methods,
  }));

  function changed(value: unknown, schema: Schema): unknown {
    if (schema.$ref) return changed(value, schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
    const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
    const first = parts.reduce((before, part) => changed(before, part), value);
    const isWord = typeof (schema.enum?.[0] ?? schema.const) === "string";
    if (isWord && typeof first === "string") return change === "foreign words" ? FOREIGN_WORD : first;
    if (Array.isArray(first)) {
      const { items } = schema;
      return change === "with empty lists" ? [] : items ? first.map((one) => changed(one, items)) : first;
    }
    const { properties, required = [] } = schema;
    if (!isRecord(first) || !properties) return first;
    const entries = Object.entries(first).filter(
      ([name]) => change !== "without optional fields" || required.includes(name) || !(name in properties),
    );
    return Object.fromEntries(entries.map(([name, part]) => [name, changed(part, properties[name] ?? {})]));
  }

  return (route, body) => {
    const [method = "", path = ""] = route.split(" ");
    const call = calls.find(({ pattern, methods }) => pattern.test(path) && method.toLowerCase() in methods);
    const responses = Object.entries(call?.methods[method.toLowerCase()]?.responses ?? {});
    const schema = responses.find(([status]) => status.startsWith("2"))?.[1].content?.["application/json"]?.schema;
    return schema ? changed(body, schema) : body;
  };
}
