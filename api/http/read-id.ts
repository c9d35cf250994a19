import { idSchema } from "../../domain/api/common.ts";
import { notFound } from "./api-error.ts";

/** An id in a path. `what` is what it identifies, for the message. @throws ApiError 404 for anything else */
export function readId(text: string | undefined, what: string): bigint {
  const id = idSchema.safeParse(text ?? "");
  if (!id.success) throw notFound(what);
  return id.data;
}
