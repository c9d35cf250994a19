import { useText } from "../i18n/language.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { BlankTicket } from "../ui/ticket.tsx";
import { PageHeading, usePageMeta } from "./page.tsx";
import { paths } from "./paths.ts";

export default function NotFound() {
  const t = useText();
  usePageMeta(t("notFound.title"), t("notFound.message"));
  return (
    <section className="page state-panel">
      <BlankTicket />
      <PageHeading className="display-number">404</PageHeading>
      <p className="state-title">{t("notFound.message")}</p>
      <LinkButton to={paths.home}>{t("notFound.back")}</LinkButton>
    </section>
  );
}
