import { readFileSync } from "node:fs";
import { type AbiEvent, type AbiFunction, toEventSignature, toFunctionSignature } from "viem";
import { openApiDocument } from "../../api/docs/openapi.ts";
import { allRoutes } from "../../api/routes.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { ERROR_CODES } from "../../core/rules/api/error-codes.ts";
import packageJson from "../../package.json" with { type: "json" };
import { servicesAlone } from "../api/support/services-alone.ts";

/** A field's path, such as `data.purchases[].id`, and its types; a `?` marks one that may be missing. */
type Fields = Record<string, string>;
type Call = { asks: Fields; answers: Fields };

/** What others build on: calls, error codes, variables, commands, and the functions and events of the contracts. */
export type Interfaces = {
  calls: Record<string, Call>;
  codes: readonly string[];
  variables: readonly string[];
  commands: readonly string[];
  contracts: Record<string, string[]>;
};

export function readInterfaces(): Interfaces {
  return {
    calls: readCalls(),
    codes: ERROR_CODES,
    variables: readVariables(),
    commands: readCommands(),
    contracts: { PurchaseNFT: signatures(purchaseNftAbi), CashbackDistributor: signatures(cashbackDistributorAbi) },
  };
}

/** One sentence for each thing of `kept` that is gone, has changed or became required. docs/upgrading.md */
export function brokenPromises(kept: Interfaces, now: Interfaces): string[] {
  const gone = (what: string, before: readonly string[], after: readonly string[] = []) =>
    before.filter((one) => !after.includes(one)).map((one) => `${what} ${one} is gone`);
  return [
    ...gone("The call", Object.keys(kept.calls), Object.keys(now.calls)),
    ...gone("The code", kept.codes, now.codes),
    ...gone("The variable", kept.variables, now.variables),
    ...gone("The command", kept.commands, now.commands),
    ...Object.entries(kept.contracts).flatMap(([name, items]) => gone(`${name}'s`, items, now.contracts[name])),
    ...Object.entries(kept.calls).flatMap(([name, call]) => {
      const same = now.calls[name];
      return same ? [...asksMore(name, call.asks, same.asks), ...answersLess(name, call.answers, same.answers)] : [];
    }),
  ];
}

/** A client of the earlier version sends `before`. */
function asksMore(call: string, before: Fields, after: Fields): string[] {
  const refused = Object.entries(before).flatMap(([field, types]) => {
    const accepted = after[field];
    if (accepted === undefined) return [`${call}: ${field} is not accepted any more`];
    const accepts = (type: string) =>
      [type, type.startsWith('"') ? "string" : type].some((one) => typesOf(accepted).includes(one));
    return typesOf(types).every(accepts) ? [] : [`${call}: ${field} must be ${accepted}, and was ${types}`];
  });
  const required = Object.keys(after).filter((field) => {
    const parent = field.slice(0, Math.max(0, field.lastIndexOf(".")));
    // A required part of a new, optional object is asked of nobody.
    const isAsked = parent === "" || parent === "body" || parent.replace(/\[\]$/, "") in before;
    return !isOptional(after[field]) && isAsked && (before[field] === undefined || isOptional(before[field]));
  });
  return [...refused, ...required.map((field) => `${call}: ${field} became required`)];
}

/** A client of the earlier version reads `before`, and refuses a whole answer for a word that it does not know. */
function answersLess(call: string, before: Fields, after: Fields): string[] {
  return Object.entries(before).flatMap(([field, types]) => {
    const given = after[field];
    if (given === undefined) return [`${call}: ${field} is gone`];
    const isKnown = (type: string) =>
      typesOf(types).includes(type) || (type.startsWith('"') && typesOf(types).includes("string"));
    // What operators read, such as a new fault of `/readyz`, may have any word.
    const isNew = typesOf(given).filter(
      (type) => !(isKnown(type) || (type.startsWith('"') && !call.includes(" /api"))),
    );
    if (isNew.length > 0) return [`${call}: ${field} may be ${isNew.join("|")}, and was ${types}`];
    return isOptional(given) && !isOptional(types) ? [`${call}: ${field} may be missing`] : [];
  });
}

const typesOf = (types: string) => types.replace("?", "").split("|");
const isOptional = (types: string | undefined) => types?.endsWith("?") ?? true;

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  const?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
} & Partial<Record<"anyOf" | "oneOf" | "allOf", Schema[]>>;
type Media = { required?: boolean; content?: Record<string, { schema?: Schema }> };
type Operation = {
  parameters?: { in: string; name: string; required: boolean; schema: Schema }[];
  requestBody?: Media;
  responses: Record<string, Media>;
};
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

function readCalls(): Interfaces["calls"] {
  const document: Document = JSON.parse(JSON.stringify(openApiDocument(allRoutes(servicesAlone()))));
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  const refusal: Fields = {};
  addFields(refusal, "body", schemas.Error, true, schemas);
  const calls = Object.fromEntries(
    operations.map(([name, { parameters = [], requestBody, responses }]) => {
      const asks: Fields = {};
      for (const one of parameters)
        addFields(asks, `${one.in} ${one.name}`, one.schema, one.required, schemas, valuesOf);
      addFields(asks, "body", bodyOf(requestBody), requestBody?.required ?? true, schemas, valuesOf);
      const answers: Fields = {};
      for (const [status, response] of Object.entries(responses))
        if (status.startsWith("2")) addFields(answers, status, bodyOf(response), true, schemas, wordsOf);
      return [name, { asks, answers }];
    }),
  );
  return { ...calls, "Every refusal": { asks: {}, answers: refusal } };
}

const bodyOf = (media: Media | undefined) => media?.content?.["application/json"]?.schema;

/** The types that a schema has, or the words. Of a refusal only its types: 1.0.0's web app reads any code. */
type TypesOf = (schema: Schema) => readonly string[];
const namesOf: TypesOf = ({ type = "any" }) => [type].flat();
const valuesOf: TypesOf = (schema) => {
  const words = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  return words.length > 0 ? words.map((word) => JSON.stringify(word)) : namesOf(schema);
};

const wordsOf: TypesOf = (schema) => {
  const isWord = schema.enum !== undefined || typeof schema.const === "string";
  return isWord ? valuesOf(schema) : namesOf(schema);
};

/** Adds the schema's types under its path, and those of its parts under theirs. */
function addFields(
  fields: Fields,
  path: string,
  schema: Schema | undefined,
  isRequired: boolean,
  schemas: Document["components"]["schemas"],
  typesIn: TypesOf = namesOf,
): void {
  if (schema === undefined) return;
  if (schema.$ref) {
    addFields(fields, path, schemas[schema.$ref.split("/").at(-1) ?? ""], isRequired, schemas, typesIn);
    return;
  }
  const add = (types: readonly string[]) => {
    const known = fields[path];
    const all = [...new Set([...(known ? typesOf(known) : []), ...types])].sort().join("|");
    fields[path] = isRequired && !known?.endsWith("?") ? all : `${all}?`;
  };
  const { anyOf, oneOf, allOf, properties = {}, required = [], items } = schema;
  const others = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])];
  for (const other of others) addFields(fields, path, other, isRequired, schemas, typesIn);
  if (others.length === 0) add(typesIn(schema));
  for (const [name, part] of Object.entries(properties)) {
    const isAlways = required.includes(name) && !(anyOf ?? oneOf);
    addFields(fields, path === "" ? name : `${path}.${name}`, part, isAlways, schemas, typesIn);
  }
  if (items) addFields(fields, `${path}[]`, items, true, schemas, typesIn);
  if (typeof schema.additionalProperties === "object")
    addFields(fields, `${path}.*`, schema.additionalProperties, false, schemas, typesIn);
}

/** `.env.example` names every variable that the code reads. */
function readVariables(): string[] {
  const [ofProgram = ""] = readFileSync(".env.example", "utf8").split("── Tests ──");
  const names = [...ofProgram.matchAll(/(?:^# {0,3}| {2,})([A-Z][A-Z0-9_]{2,})=/gm)].map(([, name = ""]) => name);
  return [...new Set(names)].sort();
}

/** Those that read the operator's variables. */
/** Those that run with an installation's settings, and the one that every upgrade needs. */
function readCommands(): string[] {
  const { scripts } = packageJson;
  const isOperators = (name: string, script: string) => script.includes("env-file.ts") || name === "build";
  return Object.entries(scripts).flatMap(([name, script]) => (isOperators(name, script) ? [name] : []));
}

/** Functions with their results, and events with what is indexed. */
export function signatures(abi: readonly { readonly type: string }[]): string[] {
  return abi.flatMap((item) => {
    if (item.type === "function") {
      const { inputs: _, ...call } = item as AbiFunction;
      const results = toFunctionSignature({ ...call, inputs: call.outputs }).slice(call.name.length);
      return [`function ${toFunctionSignature(item as AbiFunction)} returns ${results}`];
    }
    if (item.type !== "event") return [];
    const event = item as AbiEvent;
    const indexed = event.inputs.filter((input) => input.indexed).map((input) => input.name);
    return [`event ${toEventSignature(event)} indexed (${indexed.join(",")})`];
  });
}
