/** What the doctor found out about one thing. */
export type Finding = {
  /** `failure`: the system cannot do its work. `warning`: it will not for long, or a part of it stands still. */
  state: "healthy" | "warning" | "failure";
  subject: string;
  detail: string;
  /** What the operator does about it; present unless it is healthy. */
  toDo?: string;
};

export const healthy = (subject: string, detail: string): Finding => ({ state: "healthy", subject, detail });
export const warning = (subject: string, detail: string, toDo: string): Finding => ({
  state: "warning",
  subject,
  detail,
  toDo,
});
export const failure = (subject: string, detail: string, toDo: string): Finding => ({
  state: "failure",
  subject,
  detail,
  toDo,
});

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "shortMessage" in error && typeof error.shortMessage === "string" ? error.shortMessage : error.message;
}
