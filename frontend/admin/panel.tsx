import { PageHeading } from "../app/page.tsx";

/** What an admin works with. */
export default function Panel() {
  return (
    <div className="page" lang="pt-BR">
      <PageHeading>Painel de Admin</PageHeading>
    </div>
  );
}
