import { isRecord } from "../../core/rules/records.ts";

/** What is typed into forms, kept in this tab until it is saved or cancelled. Never secrets. */
const PREFIX = "draft ";

export const draftKey = (wallet: string, form: string): string => `${PREFIX}${wallet} ${form}`;

export function readDraft(key: string): Record<string, unknown> | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return isRecord(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** An empty draft is deleted. */
export function writeDraft(key: string, draft: Record<string, unknown>): void {
  try {
    if (Object.keys(draft).length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Without storage the draft is lost with the form.
  }
}

/** Deletes every draft of this tab, for example when the user logs out. */
export function dropDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Without storage there are none.
  }
}
