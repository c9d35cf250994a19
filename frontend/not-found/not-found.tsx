import { PageHeading, usePageMeta } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { BlankTicket } from "../ui/ticket.tsx";

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
