/** What entries of the audit log are about. */
export const AUDIT_AREAS = ["catalogue", "payments", "sales", "claims", "people"] as const;
export type AuditArea = (typeof AUDIT_AREAS)[number];
