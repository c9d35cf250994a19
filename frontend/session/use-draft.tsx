import { useEffect, useState } from "react";
import type { FieldValues, UseFormSubscribe } from "react-hook-form";
import { FormattedMessage } from "react-intl";
import { draftKey, readDraft, writeDraft } from "./drafts.ts";
import { useSession } from "./session.tsx";

type Values = Record<string, string | boolean>;

export type Draft<Fields extends Values> = {
  /** The form's initial values: its fields, overwritten by what was typed before the session ended. */
  start: Fields;
  isRestored: boolean;
  keep: (fields: Record<string, unknown>) => void;
  drop: () => void;
};

/**
 * Keeps what is typed into a form, because a session that ends takes the form off the screen. Only the same wallet gets
 * it back, in the same tab: that of the session, or `owner` before there is one. Only changed fields are kept: the others may change meanwhile.
 */
export function useDraft<Fields extends Values>(form: string, fields: Fields, owner?: string): Draft<Fields> {
  const { profile } = useSession();
  const wallet = owner ?? profile?.wallet;
  const [draft] = useState((): Draft<Fields> => {
    const key = draftKey(wallet ?? "", form);
    const kept = Object.entries(readDraft(key) ?? {}).filter(
      ([name, value]) => name in fields && typeof value === typeof fields[name] && value !== fields[name],
    );
    return {
      start: { ...fields, ...Object.fromEntries(kept) },
      isRestored: kept.length > 0,
      keep: (now) => {
        const changed = Object.entries(now).filter(([name, value]) => name in fields && value !== fields[name]);
        writeDraft(key, Object.fromEntries(changed));
      },
      drop: () => writeDraft(key, {}),
    };
  });
  return draft;
}

/** Keeps a form's values while they are edited. */
export function useKeptForm<Fields extends FieldValues>(
  subscribe: UseFormSubscribe<Fields>,
  { keep }: Pick<Draft<Values>, "keep">,
): void {
  useEffect(
    () => subscribe({ formState: { values: true }, callback: ({ values }) => keep(values) }),
    [subscribe, keep],
  );
}

/** Tells the user that the form was restored from a draft. */
export function DraftNotice({ draft }: { draft: { isRestored: boolean } }) {
  if (!draft.isRestored) return null;
  return (
    <p className="hint" role="status">
      <FormattedMessage id="draft.restored" />
    </p>
  );
}
