/** The areas that audit log entries belong to. */
export const AUDIT_AREAS = ["catalogue", "payments", "sales", "claims", "people"] as const;
export type AuditArea = (typeof AUDIT_AREAS)[number];
