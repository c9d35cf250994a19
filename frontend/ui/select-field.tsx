type SelectFieldProps = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  isDisabled?: boolean;
  choose: (value: string) => void;
};

/** A choice of one that takes effect at once: nothing can be wrong with it. */
export function SelectField({ label, value, options, isDisabled = false, choose }: SelectFieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <select disabled={isDisabled} value={value} onChange={({ target }) => choose(target.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
