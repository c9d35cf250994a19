/** What can be wrong with a network's report. */
export const PROBLEM_CODES = [
  "not_object",
  "missing",
  "odd",
  "unread",
  "negative",
  "negative_part",
  "parts_exceed",
  "tracked_stays",
  "unknown_status",
  "said",
] as const;
export const PROBLEM_FIGURES = ["field", "value", "before", "brl"] as const;
/** A field is named as its network does, and a value is as its network sent it. */
export type ReportProblem = { code: (typeof PROBLEM_CODES)[number] } & {
  [Figure in (typeof PROBLEM_FIGURES)[number]]?: string;
};
