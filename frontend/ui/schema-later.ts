import type { FieldValues, Resolver } from "react-hook-form";
import type { z } from "zod";

/**
 * Validates a form by a schema whose code is loaded with the first validation, so that the page shows without it. If it
 * cannot be loaded, the server's own validation answers.
 */
export function schemaLater<Fields extends FieldValues>(
  load: () => Promise<z.ZodType<Fields, Fields>>,
): Resolver<Fields> {
  return async (values, context, options) => {
    try {
      const [{ zodResolver }, schema] = await Promise.all([import("@hookform/resolvers/zod"), load()]);
      return await zodResolver(schema)(values, context, options);
    } catch {
      return { values, errors: {} };
    }
  };
}
