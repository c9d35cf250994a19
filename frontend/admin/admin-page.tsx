import { Fragment, lazy, Suspense, useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";
import { InPortuguese, withLaterTexts } from "../i18n/language.tsx";
import { useAdminStatus } from "../session/admin-status.ts";
import { useSession } from "../session/session.tsx";
import { toast } from "../ui/toast.ts";

const Panel = lazy(() => import("./panel.tsx"));
const PasskeyNotice = lazy(() => withLaterTexts(() => import("./passkey-notice.tsx")));

/** The admin area is in Portuguese. docs/product.md#admin-check. */
const CHECKING = "Verificando permissões de administrador...";
const REDIRECTING = "Redirecionando...";
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
      title: "Acesso negado",
      description: "Você precisa estar logado para acessar esta página.",
    };
  }
  if (session !== "ready") return undefined;
  if (admin === "failed") {
    return {
      to: paths.dashboard,
      title: "Erro",
      description: "Ocorreu um erro ao verificar suas permissões de administrador.",
    };
  }
  if (admin === "not-admin") {
    return {
      to: paths.dashboard,
      title: "Acesso negado",
      description: "Você não tem permissão para acessar o painel de administração.",
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
      <Suspense fallback={<Waiting text={CHECKING} />}>
        <InPortuguese>
          <Before>
            <Panel />
          </Before>
        </InPortuguese>
      </Suspense>
    );
  }
  return <Waiting text={denial ? REDIRECTING : CHECKING} />;
}

function Waiting({ text }: { text: string }) {
  return (
    <section className="page state-panel" lang="pt-BR">
      <PageHeading className="sr-only">Painel de Admin</PageHeading>
      <p className="busy" role="status">
        <span className="spinner" aria-hidden="true" />
        {text}
      </p>
    </section>
  );
}
