import { useEffect } from "react";
import { useParams } from "react-router";
import { deployment } from "../app/deployment.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { STORAGE_KEYS, store } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { useSession } from "../session/session.tsx";
import { LinkButton } from "../ui/link-button.tsx";

/** A friend's link: says what it gives, keeps its code for the registration, and leads in. docs/product.md#invite */
export default function InvitePage() {
  const t = useText();
  const { percent } = useFormat();
  const { code = "" } = useParams();
  const { profile } = useSession();
  const bonus = deployment.invite_bonus_percent;
  useEffect(() => {
    if (bonus) store(STORAGE_KEYS.invite, code);
  }, [code]);
  const text = !bonus ? t("invitePage.off") : profile ? t("invitePage.user") : undefined;
  return (
    <section className="page grid gap-4">
      <PageHeading>{t("invite.title")}</PageHeading>
      <p className="lead">{text ?? t("invitePage.text", { percent: percent(bonus ?? "0") })}</p>
      <p className="action-row">
        {profile || !bonus ? (
          <LinkButton className="button button-signal" to={paths.stores}>
            {t("invitePage.stores")}
          </LinkButton>
        ) : (
          <LinkButton className="button button-signal" to={paths.auth(paths.stores)}>
            {t("invitePage.go")}
          </LinkButton>
        )}
      </p>
    </section>
  );
}
