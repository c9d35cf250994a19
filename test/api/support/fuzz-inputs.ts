import fc from "fast-check";
import type { Operation, Parameter } from "./documented.ts";

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
};

/** One raw request, and the role that sends it. */
export type FuzzedRequest<Role extends string> = {
  role: Role;
  /** The operation's own content type, or another. */
  method: string;
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
};

/** Existing values, by the name of their field or parameter. */
export type Pools = Record<string, readonly unknown[]>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const HOSTILE: readonly unknown[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202Eabc",
  "<script>alert(1)</script>",
  "' or 1=1 --",
  "../../etc/passwd",
  "javascript:alert(1)",
  "https://169.254.169.254/",
  "{{7*7}}",
  "%00",
  "NaN",
  "1e400",
  "1,50",
  "x".repeat(5_000),
  "🏴".repeat(50),
  0,
  -0,
  -1,
  1.5,
  1e-7,
  1e21,
  1e308,
  2 ** 53 + 2,
  true,
  false,
  null,
  [],
  [1],
  ["a", ["b"]],
  {},
  { $gt: "" },
  { toString: 1, valueOf: 2, length: -1 },
];

/** Bodies that are not a valid JSON object, sent unchanged. */
const BROKEN_BODIES = [
  "",
  "{",
  "null",
  "[]",
  '"text"',
  "1",
  "nul",
  '{"a":1,"a":2}',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{}}}',
  `${"[".repeat(500)}${"]".repeat(500)}`,
  `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
  '{"amount":1e400}',
  `{"address":"${"a".repeat(70_000)}"}`,
  "\ufeff{}",
  "{}{}",
  '{"a":"\\u0000"}',
];

const HOSTILE_SEGMENTS = [
  "0",
  "-1",
  "abc",
  "1.5",
  "1e3",
  "%00",
  "%zz",
  "..%2f..%2f",
  "1;drop",
  "9".repeat(40),
  "%F0%9F",
];

const HEADERS: readonly Record<string, string>[] = [
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-encoding": "gzip" },
  { accept: "text/html" },
  { origin: "https://evil.example" },
  { "x-forwarded-for": "10.0.0.1, 127.0.0.1" },
  { "x-http-method-override": "DELETE" },
  { "if-none-match": "*" },
  { "if-none-match": ',"",W/' },
  { range: "bytes=0-1" },
  { "idempotency-key": "" },
  { "idempotency-key": "fuzz-1" },
  { "idempotency-key": "x".repeat(300) },
  { "x-torcida-timestamp": "0", "x-torcida-signature": "00" },
  { cookie: `a=${"b".repeat(2_000)}` },
];

/** Requests of every operation of a document: valid ones, almost valid ones and nonsense. */
export function fuzzedRequests<Role extends string>(
  operations: readonly { method: string; path: string; operation: Operation }[],
  roles: readonly Role[],
  pools: Pools,
): fc.Arbitrary<FuzzedRequest<Role>> {
  // Created once per operation: the arbitrary of a regular expression is expensive.
  return fc.oneof(
    ...operations.map(({ method, path, operation }) => ({
      weight: operation.requestBody ? 4 : 1,
      arbitrary: fc.record({
        role: fc.constantFrom(...roles),
        method: mostly(fc.constant(method), fc.constantFrom(...METHODS)),
        path: pathOf(path, operation.parameters ?? [], pools),
        body: bodyOf(operation, pools),
        headers: mostly(fc.constant({}), fc.constantFrom(...HEADERS), 2),
      }),
    })),
  );
}

function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, weight = 9): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight }, { arbitrary: other, weight: 1 });
}

function pathOf(template: string, parameters: readonly Parameter[], pools: Pools): fc.Arbitrary<string> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const segments = names.map((name) => {
    const known = (pools[name] ?? [1]).map(String);
    return mostly(fc.constantFrom(...known), fc.constantFrom(...HOSTILE_SEGMENTS), 3);
  });
  const queries = parameters.filter((one) => one.in === "query");
  const query = queries.map((one) =>
    fc.option(
      mostly(
        fc.oneof(
          fc.nat().map(String),
          fc.string(),
          fc.constantFrom("", "0", "-1", "501", `1${"0".repeat(30)}`, "null"),
        ),
        fc.constant(`1&${one.name}=2`),
      ).map((value) => `${one.name}=${value.includes("&") ? value : encodeURIComponent(value.toWellFormed())}`),
      { nil: "" },
    ),
  );
  return fc.tuple(fc.tuple(...segments), fc.tuple(...query)).map(([chosen, parts]) => {
    const path = names.reduce((text, name, index) => text.replace(`{${name}}`, chosen[index] ?? ""), template);
    const search = parts.filter(Boolean).join("&");
    return search ? `${path}?${search}` : path;
  });
}

function bodyOf(operation: Operation, pools: Pools): fc.Arbitrary<string | undefined> {
  const schema = operation.requestBody?.content["application/json"]?.schema as Schema | undefined;
  if (!schema) return mostly(fc.constant(undefined), fc.constantFrom("{}", ...BROKEN_BODIES), 3);
  const fields = Object.entries(schema.properties ?? {});
  const isRequired = new Set(schema.required);
  const values = Object.fromEntries(
    fields.map(([name, property]) => [
      name,
      fc.oneof(
        { arbitrary: fc.constantFrom(...(pools[name] ?? [undefined])), weight: pools[name] ? 24 : 0 },
        { arbitrary: valueOfSchema(property), weight: pools[name] ? 1 : 12 },
        { arbitrary: fc.constantFrom(...HOSTILE), weight: 1 },
      ),
    ]),
  );
  const whole = fc.record(values, { requiredKeys: [...isRequired] });
  const withoutOne = fc.record(values, { requiredKeys: [] });
  const withMore = fc
    .tuple(
      whole,
      fc.constantFrom("id", "isAdmin", "deleted_at", "status", "toString", "x"),
      fc.constantFrom(...HOSTILE),
    )
    .map(([body, name, value]) => ({ ...body, [name]: value }));
  const object = fc.oneof(
    { arbitrary: whole, weight: 12 },
    { arbitrary: withoutOne, weight: 2 },
    { arbitrary: withMore, weight: 1 },
  );
  return fc.oneof(
    { arbitrary: object.map((value) => JSON.stringify(value)), weight: 12 },
    { arbitrary: fc.constantFrom(...BROKEN_BODIES), weight: 1 },
    { arbitrary: fc.constant(undefined), weight: 1 },
  );
}

/** A value of a schema. The pools have what a schema cannot express (an address, a percent). */
function valueOfSchema(schema: Schema): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(valueOfSchema));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ("const" in schema) return fc.constant(schema.const);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "string") return textOf(schema);
  if (type === "integer") return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000 });
  if (type === "number") return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  if (type === "array") return fc.array(valueOfSchema(schema.items ?? {}), { maxLength: 3 });
  return fc.jsonValue({ maxDepth: 2 });
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === "email") return fc.emailAddress();
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  const minLength = schema.minLength ?? 0;
  return fc.string({ unit: "binary", minLength, maxLength: Math.min(schema.maxLength ?? 200, 200) });
}
