import { useText } from "../i18n/language.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { BlankTicket } from "../ui/ticket.tsx";
import { PageHeading, usePageMeta } from "./page.tsx";
import { paths } from "./paths.ts";

export default function NotFound({ what }: { what?: "store" | "ticket" | "club" }) {
  const t = useText();
  const message = what ? t(`missing.${what}`) : t("notFound.message");
  usePageMeta(t("notFound.title"), message);
  return (
    <section className="page state-panel">
      <BlankTicket />
      <PageHeading className="display-number">404</PageHeading>
      <p className="state-title">{message}</p>
      <p className="state-links">
        {(what === "store" || what === "club") && <LinkButton to={paths.stores}>{t("home.featured.all")}</LinkButton>}
        {what === "ticket" && <LinkButton to={paths.proof}>{t("ticketPage.toProof")}</LinkButton>}
        <LinkButton className={what ? "button button-quiet" : "button"} to={paths.home}>
          {t("notFound.back")}
        </LinkButton>
      </p>
    </section>
  );
}
