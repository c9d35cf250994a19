import { type ReactNode, useId } from "react";

/** The attributes that connect a control with its label, hint and problem. */
type ControlProps = { id: string; "aria-invalid": boolean; "aria-describedby": string | undefined };

type FieldProps = {
  label: string;
  hint?: string | undefined;
  /** What is wrong with the input. */
  problem: string | undefined;
  children: (control: ControlProps) => ReactNode;
};

/** A control with its label, hint and problem, which screen readers read with it. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const noteIds = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-invalid": problem !== undefined, "aria-describedby": noteIds || undefined })}
      {hint && (
        <span id={`${id}-hint`} className="field-hint">
          {hint}
        </span>
      )}
      {problem && (
        <span id={`${id}-problem`} role="alert" className="field-problem">
          {problem}
        </span>
      )}
    </div>
  );
}
