/** The roles of admin wallets. docs/product.md#roles. */
export const ROLES = ["owner", "operator", "catalogue", "support", "auditor"] as const;
export type Role = (typeof ROLES)[number];

/**
 * The independent permissions of a role: `read` sees everything in the panel, `catalogue` changes stores and fan
 * tokens, `payments` confirms, pays, retries and pauses, `sales` releases, declines and assigns reported sales,
 * `claims` decides missing-cashback claims, `people` ends sessions and erases profiles. These are the words that 1.0.0's
 * panel knows; `people:read`, which reads names and e-mails, is told beside them.
 */
export const PERMISSIONS = ["read", "catalogue", "payments", "sales", "claims", "people"] as const;
export type PanelPermission = (typeof PERMISSIONS)[number];
export type Permission = PanelPermission | "people:read";

const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  owner: [...PERMISSIONS, "people:read"],
  operator: ["read", "payments", "sales", "claims"],
  catalogue: ["read", "catalogue"],
  support: ["read", "claims", "people", "people:read"],
  auditor: ["read"],
};

/** What an admin role may do. docs/product.md#roles */
export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS_OF[role];
}

/** The same in the words that 1.0.0's panel knows. */
export function panelPermissionsOf(role: Role): PanelPermission[] {
  return PERMISSIONS.filter((one) => permissionsOf(role).includes(one));
}
