import { useText } from "../i18n/language.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import style from "./not-found-page.module.css";
import { PageHeading, usePageMeta } from "./page.tsx";
import { paths } from "./paths.ts";

export default function NotFound({ what }: { what?: "store" | "ticket" | "club" }) {
  const t = useText();
  const message = what ? t(`missing.${what}`) : t("notFound.message");
  usePageMeta(t("notFound.title"), message);
  return (
    <section className="page">
      <div className={style.field}>
        <div className={style.words}>
          <PageHeading className="display-number">404</PageHeading>
          <p className={style.message}>{message}</p>
          <p className="action-row">
            <LinkButton className="button button-signal" to={paths.home}>
              {t("notFound.back")}
            </LinkButton>
            {what === "ticket" ? (
              <LinkButton className="button button-quiet" to={paths.proof}>
                {t("ticketPage.toProof")}
              </LinkButton>
            ) : (
              <LinkButton className="button button-quiet" to={paths.stores}>
                {t("home.featured.all")}
              </LinkButton>
            )}
          </p>
        </div>
        <BallOut />
      </div>
    </section>
  );
}

/** A corner of the pitch, and the ball beyond its line. */
function BallOut() {
  return (
    <svg className={style.scene} aria-hidden="true" viewBox="0 0 360 220" preserveAspectRatio="xMaxYMax slice">
      <path className={style.outside} d="M236-900h900v2000H-900V190H236z" />
      <path className={style.line} d="M236-900v1090H-900M236 146a44 44 0 0 0-44 44" />
      <path className={style.way} d="M187 112C190 30 252-8 285 66" />
      <path className={style.line} d="M236 190v-88" />
      <path className={style.flag} d="M235 100l-42 15 42 15z" />
      <g transform="translate(300 84) rotate(14)">
        <circle className={style.ball} r="26" />
        <path
          className={style.patch}
          d="M0-11l10 8-4 12H-6l-4-12zM0-11v-15M10-3l14-5M6 9l9 12M-6 9l-9 12M-10-3l-14-5"
        />
      </g>
    </svg>
  );
}
