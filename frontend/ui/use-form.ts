import {
  type FieldErrors,
  type FieldValues,
  type UseFormProps,
  type UseFormReturn,
  useForm as useLibraryForm,
} from "react-hook-form";

/**
 * The library's form, except that a refused submit moves the focus once. The library moves it a second time, by a timer:
 * on a slow device that takes it from a field in which the user already types.
 */
export function useForm<Fields extends FieldValues, Output = Fields>(
  options: UseFormProps<Fields, unknown, Output>,
): UseFormReturn<Fields, unknown, Output> {
  const form = useLibraryForm({ ...options, shouldFocusError: false });
  const handleSubmit: typeof form.handleSubmit = (onValid, onInvalid) =>
    form.handleSubmit(onValid, async (errors, event) => {
      await onInvalid?.(errors, event);
      firstOf(errors)?.focus();
    });
  return { ...form, handleSubmit };
}

/** An option of `register`: the field's value, trimmed. */
export const trimmed = { setValueAs: (value: string) => value.trim() };

/** The first field with an error, in the order of the page. */
function firstOf(errors: FieldErrors): HTMLElement | undefined {
  const fields = Object.values(errors).flatMap((error) =>
    error && "ref" in error && error.ref instanceof HTMLElement ? [error.ref] : [],
  );
  return fields.reduce<HTMLElement | undefined>(
    (first, field) => (first && isBefore(first, field) ? first : field),
    undefined,
  );
}

function isBefore(one: Node, other: Node): boolean {
  return Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
}
