import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { adminRoleResponseSchema } from "../../../core/rules/api/administration.ts";
import { PERMISSIONS, type PanelPermission as Permission, type Role } from "../../../core/rules/roles.ts";
import { ask } from "../../api/ask.ts";
import type { Heard } from "../../api/heard.ts";
import { OWN_KEY } from "../../api/queries.ts";
import { listText, t } from "../texts.ts";
import { roleName } from "../words.ts";
import style from "./permissions.module.css";

/** The signed-in admin's role and permissions, and what takes a second admin. */
export const roleQuery = queryOptions({
  queryKey: [...OWN_KEY, "role"],
  queryFn: ({ signal }) => ask(adminRoleResponseSchema, "/api/admin/role", { signal }),
  staleTime: 60_000,
  retry: false,
});

type Permissions = { role: Heard<Role> | undefined; can: (permission: Permission) => boolean };

/**
 * The permissions of the signed-in admin. Until they are known nothing is hidden, because the server decides anyway.
 */
export function usePermissions(): Permissions {
  const { data } = useQuery(roleQuery);
  const permissions = data?.permissions ?? PERMISSIONS;
  return { role: data?.role, can: (permission) => permissions.includes(permission) };
}

/** Why a button is disabled; undefined if it is not. */
export function useDenial(permission: Permission): string | undefined {
  const { role, can } = usePermissions();
  if (role === undefined || can(permission)) return undefined;
  return t("permission.denied", { role: roleName(role), what: t(`permission.${permission}`) });
}

type PermittedButtonProps = {
  permission: Permission;
  className?: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
};

/** A button that explains why the admin's role may not use it. */
export function PermittedButton({
  permission,
  className = "button button-small button-quiet",
  disabled = false,
  onClick,
  children,
}: PermittedButtonProps) {
  const denial = useDenial(permission);
  return (
    <button
      type="button"
      className={className}
      disabled={disabled || denial !== undefined}
      title={denial}
      onClick={onClick}
    >
      {children}
      {denial && <span className="sr-only">. {denial}</span>}
    </button>
  );
}

/** One sentence above the panel about what the role does not allow. */
export function RoleNotice() {
  const { role, can } = usePermissions();
  if (role === undefined || role === "owner") return null;
  const missing = PERMISSIONS.filter((permission) => !can(permission)).map((one) => t(`permission.${one}`));
  return (
    <p className={`hint ${style.roleNotice}`}>
      {t("permission.notice", { role: roleName(role), what: listText(missing, "disjunction") })}
    </p>
  );
}
