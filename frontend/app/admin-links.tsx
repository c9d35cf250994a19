import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { attentionQuery } from "../api/attention.ts";
import { useText } from "../i18n/language.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { paths } from "./paths.ts";

/** The link to the panel, with the number of open tasks. */
export function AdminLinks() {
  const t = useText();
  const { data } = useQuery(attentionQuery);
  const count = data?.total ?? 0;
  return (
    <span className="admin-links">
      <LinkButton to={paths.admin} className="button button-small button-quiet admin-link" lang="pt-BR">
        Painel de Admin
      </LinkButton>
      {count > 0 && (
        <Link to={paths.admin} className="notice-count figures" aria-label={t("nav.notices", { count })}>
          {count > 99 ? "99+" : count}
        </Link>
      )}
    </span>
  );
}
