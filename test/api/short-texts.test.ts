import { expect } from "chai";
import type { z } from "zod";
import { allRoutes } from "../../api/routes.ts";
import { servicesAlone } from "./support/services-alone.ts";

type Def = {
  type: string;
  pattern?: RegExp;
  checks?: readonly { _zod: { def: { check: string; pattern?: RegExp; format?: string; abort?: boolean } } }[];
} & Record<string, unknown>;

/** The places of a schema where a pattern looks at a text of any length. */
function unbounded(schema: unknown, place: string, isBounded = false): string[] {
  if (schema === undefined || schema === null) return [];
  const def = (schema as z.ZodType)._zod.def as unknown as Def;
  const inner = (value: unknown, name: string, bounded = false) => unbounded(value, `${place}${name}`, bounded);
  switch (def.type) {
    case "string":
      return patternsOf(def, isBounded).map((pattern) => `${place}: ${pattern}`);
    case "object":
      return [
        ...Object.entries(def.shape as Record<string, unknown>).flatMap(([name, one]) => inner(one, `.${name}`)),
        ...inner(def.catchall, ".*"),
      ];
    case "array":
      return inner(def.element, "[]");
    case "record":
      return [...inner(def.keyType, ".key"), ...inner(def.valueType, ".value")];
    case "union":
      return (def.options as unknown[]).flatMap((one, index) => inner(one, `|${index}`));
    case "pipe":
      return [...inner(def.in, ""), ...inner(def.out, "", isBounded || endsShort(def.in as z.ZodType))];
    case "lazy":
      return inner((def.getter as () => unknown)(), "");
    default:
      return inner(def.innerType, "", isBounded);
  }
}

function patternsOf(def: Def, isBounded: boolean): string[] {
  let isShort = isBounded;
  const found = def.pattern !== undefined && !isShort ? [String(def.pattern)] : [];
  for (const { _zod: check } of def.checks ?? []) {
    if (check.def.check === "max_length" || check.def.check === "length_equals") isShort ||= check.def.abort === true;
    if (check.def.check === "string_format" && !isShort) found.push(String(check.def.pattern ?? check.def.format));
  }
  return found;
}

const endsShort = (schema: z.ZodType) => {
  const def = schema._zod.def as unknown as Def;
  return def.type === "string" && (def.checks ?? []).some(({ _zod: { def: one } }) => one.check === "max_length");
};

describe("The texts of requests", () => {
  it("are short before a pattern looks at them", () => {
    const routes = allRoutes(servicesAlone());
    const faults = routes.flatMap(({ method, path, body, query }) => [
      ...unbounded(body, `${method} ${path} body`),
      ...unbounded(query, `${method} ${path} query`),
    ]);
    expect(routes.length).to.be.greaterThan(50);
    expect(faults.join("\n")).to.equal("");
  });
});
