import { Fragment, lazy, Suspense, useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";
import { withLaterTexts } from "../i18n/language.tsx";
import { useAdminStatus } from "../session/admin-status.ts";
import { useSession } from "../session/session.tsx";
import { toast } from "../ui/toast.ts";
import { restorePanelLanguage } from "./panel-language.tsx";
import { panelLocale, t } from "./texts.ts";

const Panel = lazy(async () => {
  const [panel] = await Promise.all([import("./panel.tsx"), restorePanelLanguage()]);
  return panel;
});
const PasskeyNotice = lazy(() => withLaterTexts(() => import("./passkey-notice.tsx")));

/** Long enough to read. */
const REDIRECTING_SHOWN_MS = 600;

type Denial = { to: string; title: string; description: string };

function denialOf(
  session: ReturnType<typeof useSession>["status"],
  admin: ReturnType<typeof useAdminStatus>,
): Denial | undefined {
  if (session === "anonymous") {
    return {
      // Back to the same place, where a form gets its draft again.
      to: paths.auth(paths.admin + location.search),
      title: t("gate.denied"),
      description: t("gate.anonymous"),
    };
  }
  if (session !== "ready") return undefined;
  if (admin === "failed") {
    return {
      to: paths.dashboard,
      title: t("error"),
      description: t("gate.failed"),
    };
  }
  if (admin === "not-admin") {
    return {
      to: paths.dashboard,
      title: t("gate.denied"),
      description: t("gate.notAdmin"),
    };
  }
  return undefined;
}

/** Admits admins; everyone else is redirected once, with the reason in a toast. */
export default function Admin() {
  const navigate = useNavigate();
  const { status } = useSession();
  const admin = useAdminStatus();
  const hasLeft = useRef(false);
  const denial = denialOf(status, admin);
  const { to, title, description } = denial ?? {};
  useEffect(() => {
    if (!to || !title || hasLeft.current) return;
    hasLeft.current = true;
    toast.error(title, { id: "admin-denied", description });
    // Not undone by the effect's cleanup: the redirect happens whatever the next check says.
    setTimeout(() => {
      if (location.pathname === paths.admin) navigate(to, { replace: true });
    }, REDIRECTING_SHOWN_MS);
  }, [to, title, description, navigate]);
  if (status === "ready" && admin === "admin") {
    const Before = readStored(STORAGE_KEYS.passkeyWallet) === null ? Fragment : PasskeyNotice;
    return (
      <Suspense fallback={<Waiting text={t("gate.checking")} />}>
        <Before>
          <Panel />
        </Before>
      </Suspense>
    );
  }
  return <Waiting text={t(denial ? "gate.redirecting" : "gate.checking")} />;
}

function Waiting({ text }: { text: string }) {
  return (
    <section className="page state-panel" lang={panelLocale()}>
      <PageHeading className="sr-only">{t("gate.title")}</PageHeading>
      <p className="busy" role="status">
        <span className="spinner" aria-hidden="true" />
        {text}
      </p>
    </section>
  );
}
