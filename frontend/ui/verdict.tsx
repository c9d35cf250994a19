import type { ReactNode } from "react";
import style from "./verdict.module.css";

const LOOKS = { holds: style.holds, less: style.less, wrong: "problem", open: "muted" };
export type VerdictKind = keyof typeof LOOKS;

/** What a check found, in the colour of how it turned out. */
export function Verdict({ kind, role, children }: { kind: VerdictKind; role?: "status"; children: ReactNode }) {
  return (
    <p role={role} data-verdict={kind} className={LOOKS[kind]}>
      {children}
    </p>
  );
}
