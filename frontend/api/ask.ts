import type { z } from "zod";
import { isRecord } from "../../core/rules/records.ts";
import type { Heard } from "./heard.ts";
import { call, MalformedAnswer } from "./http.ts";

type RequestOptions = { method?: string; body?: unknown; signal?: AbortSignal | undefined };

/**
 * A call of the panel, whose answer is held to the schema that the api declares for it.
 * @throws MalformedAnswer, and what `call` throws
 */
export async function ask<Schema extends z.ZodType>(
  schema: Schema,
  path: string,
  { method = "GET", body, signal }: RequestOptions = {},
): Promise<Heard<z.output<Schema>>> {
  return held(schema, path, await call(method, path, body, signal));
}

/**
 * An answer, held to its schema. A word that stands in none of its closed lists is a later server's, and refuses nothing:
 * it is taken out to read the rest, and put back. @throws MalformedAnswer
 */
export function held<Schema extends z.ZodType>(schema: Schema, path: string, answer: unknown): Heard<z.output<Schema>> {
  type Held = Heard<z.output<Schema>>;
  const first = schema.safeParse(answer);
  if (first.success) return first.data as Held;
  const known = structuredClone(answer);
  const foreign = first.error.issues.flatMap(({ path: at, ...issue }) => {
    if (typeof partAt(answer, at) !== "string") return [];
    // Of an object whose word says what it holds, all of it is foreign.
    const isTag = issue.code === "invalid_union" && issue.discriminator !== undefined;
    const part = isTag ? at.slice(0, -1) : at;
    if (isTag) put(known, part, null);
    else if (issue.code === "invalid_value") put(known, part, issue.values[0]);
    else return [];
    return [{ part, value: partAt(answer, part) }];
  });
  const { data, error } = schema.safeParse(known);
  if (error) throw new MalformedAnswer(path, error.issues[0]?.path.join(".") ?? "");
  for (const { part, value } of foreign) put(data, part, value);
  return data as Held;
}

type Path = readonly PropertyKey[];

const partAt = (whole: unknown, path: Path): unknown =>
  path.reduce((part, key) => (isRecord(part) || Array.isArray(part) ? Reflect.get(part, key) : undefined), whole);

function put(whole: unknown, path: Path, value: unknown): void {
  const parent = partAt(whole, path.slice(0, -1));
  const key = path.at(-1);
  if (key !== undefined && typeof parent === "object" && parent !== null) Reflect.set(parent, key, value);
}
