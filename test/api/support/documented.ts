import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Answer } from "../../testing/shopper.ts";

type Media = { schema?: object };
export type Parameter = {
  name: string;
  description?: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: object;
};
export type Operation = {
  operationId: string;
  description: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};
export type OpenApi = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};

/** A server's OpenAPI document, to check its responses. */
export class Documented {
  readonly document: OpenApi;
  readonly #ajv = new Ajv2020({ strict: true, allErrors: true, validateFormats: false, allowUnionTypes: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApi) {
    this.document = document;
  }

  operations(): { method: string; path: string; operation: Operation }[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  }

  /** One sentence on how a response differs from the document; undefined if it matches. */
  complaint(operation: Operation, answer: Answer): string | undefined {
    const response = operation.responses[answer.status];
    if (!response) return `${answer.status} is not documented: ${answer.text.slice(0, 300)}`;
    const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
    if (!response.content) return answer.text === "" ? undefined : `${answer.status} has a body`;
    const media = response.content[type];
    if (!media) return `${answer.status} is of type ${type}, not ${Object.keys(response.content).join()}`;
    if (!media.schema || type !== "application/json") return undefined;
    const validate = this.validator(media.schema);
    if (validate(answer.body)) return undefined;
    return `${answer.status} is not of its schema: ${this.#ajv.errorsText(validate.errors)} in ${answer.text.slice(0, 500)}`;
  }

  validator(schema: object): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"#/$defs/');
    const known = this.#validators.get(text);
    if (known) return known;
    const made = this.#ajv.compile({ ...JSON.parse(text), $defs: this.document.components.schemas });
    this.#validators.set(text, made);
    return made;
  }

  /** The operation of a call, by its path. */
  find(method: string, typedPath: string): Operation | undefined {
    const path = typedPath.split("?")[0] ?? "";
    const fits = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
    // A literal segment takes precedence over a parameter: /api/openapi.json.
    const templates = Object.keys(this.document.paths).filter(fits);
    const template = templates.find((one) => !one.includes("{")) ?? templates[0];
    return template === undefined ? undefined : this.document.paths[template]?.[method.toLowerCase()];
  }
}

const known = new Map<string, Promise<Documented>>();

/** A server's document, fetched once. */
export function documentOf(url: string): Promise<Documented> {
  const document = known.get(url) ?? read(url);
  known.set(url, document);
  return document;
}

async function read(url: string): Promise<Documented> {
  const response = await fetch(`${url}/api/openapi.json`);
  return new Documented((await response.json()) as OpenApi);
}
