import type { z } from "zod";
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
): Promise<z.output<Schema>> {
  return held(schema, path, await call(method, path, body, signal));
}

/** An answer, held to its schema. @throws MalformedAnswer */
export function held<Schema extends z.ZodType>(schema: Schema, path: string, answer: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(answer);
  if (error) throw new MalformedAnswer(path, error.issues[0]?.path.join(".") ?? "");
  return data;
}
