import { type ComponentProps, useState } from "react";

type FileChoiceProps = Omit<ComponentProps<"input">, "type" | "onChange"> & {
  /** On the button; it belongs to the control's name. */
  action: string;
  /** Beside the button while no file is chosen. */
  none: string;
  choose: (file: File | undefined) => void;
};

/** A button that chooses a file, and the name of the file. The browser's own speaks the browser's language. */
export function FileChoice({ action, none, choose, ...input }: FileChoiceProps) {
  const [name, setName] = useState<string>();
  return (
    <div className="action-row">
      <label className="button button-small button-quiet file-button">
        {action}
        <input
          {...input}
          type="file"
          onChange={({ target }) => {
            const file = target.files?.[0];
            setName(file?.name);
            choose(file);
          }}
        />
      </label>
      <span className="muted">{name ?? none}</span>
    </div>
  );
}
