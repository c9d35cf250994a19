import { type ReactNode, useId } from "react";

/** The attributes that connect a control with its label, hint and problem. */
type ControlProps = { id: string; "aria-invalid": boolean; "aria-describedby": string | undefined };

type FieldProps = {
  label: string;
  /** Its place says what the field is for: only screen readers read the label. */
  isLabelHidden?: boolean;
  hint?: string | undefined;
  /** What is wrong with the input; absent where nothing can be. */
  problem?: string | undefined;
  className?: string;
  children: (control: ControlProps) => ReactNode;
};

/** A control with its label, hint and problem, which screen readers read with it. */
export function Field({ label, isLabelHidden = false, hint, problem, className = "", children }: FieldProps) {
  const id = useId();
  const noteIds = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id} className={isLabelHidden ? "sr-only" : undefined}>
        {label}
      </label>
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
