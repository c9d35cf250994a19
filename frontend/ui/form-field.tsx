import { type ReactNode, useId } from "react";

type Wiring = { id: string; "aria-invalid": boolean; "aria-describedby": string | undefined };
type FormFieldProps = {
  label: string;
  problem: string | undefined;
  /** The input, which takes these attributes. */
  children: (wiring: Wiring) => ReactNode;
};

/** A field with its label, and below it its own sentence about a fault, which screen readers read with the field. */
export function FormField({ label, problem, children }: FormFieldProps) {
  const id = useId();
  return (
    <div className="form-field">
      <label className="field" htmlFor={id}>
        <span>{label}</span>
        {children({ id, "aria-invalid": problem !== undefined, "aria-describedby": problem && `${id}-problem` })}
      </label>
      {problem && (
        <p id={`${id}-problem`} className="field-problem">
          {problem}
        </p>
      )}
    </div>
  );
}
