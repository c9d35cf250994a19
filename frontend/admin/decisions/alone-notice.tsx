import { useQuery } from "@tanstack/react-query";
import { useFormat } from "../../i18n/use-format.ts";
import { RichText } from "../rich-text.tsx";
import { configurationQuery } from "../settings/queries.ts";
import { roleQuery } from "./permissions.tsx";

/** How many CHZ a day one person may let be paid; null without a limit, undefined until it is known. */
export const aloneLimitQuery = {
  ...configurationQuery,
  staleTime: 60_000,
  select: (settings: readonly { name: string; value: string | null }[]) =>
    settings.find(({ name }) => name === "APPROVAL_ABOVE_CHZ")?.value ?? null,
};

/** Says before a decision which of its payouts would wait for a second person. docs/product.md#panel-approvals */
export function AloneNotice() {
  const { chz } = useFormat();
  const { data: limit } = useQuery(aloneLimitQuery);
  const { data: role } = useQuery(roleQuery);
  if (!limit || !role) return null;
  return (
    <p className="hint" role="status">
      <RichText id={role.approvers.payments.length === 0 ? "alone.nobody" : "alone.other"} limit={chz(limit)} />
    </p>
  );
}
