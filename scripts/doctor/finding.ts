import { kindOf, type SystemFault } from "../../domain/system-faults.ts";

/** One result of the doctor. */
export type Finding = {
  /** `failure`: the system cannot work. `warning`: it will stop soon, or a part of it is waiting. */
  state: "healthy" | "warning" | "failure";
  subject: string;
  detail: string;
  /** What the operator should do; present unless it is healthy. */
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

/** A fault of the installation, with its page of the runbook. */
export function findingOf(subject: string, { name, text }: SystemFault): Finding {
  const { blocks, runbook } = kindOf(name);
  return (blocks ? failure : warning)(subject, text, `docs/runbook/${runbook}.md`);
}
