import { adminUserSchema } from "../../../core/rules/api/admin-people.ts";
import { shortenAddress } from "../../../core/rules/wallet-address.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { StateBadge } from "../badge.tsx";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import type { AdminUser } from "../shapes.ts";
import { TabHead } from "../tab-head.tsx";
import { optionsOf, PERSON_WORDS, wordOf } from "../words.ts";
import { PersonSheet, personName } from "./person-sheet.tsx";

/** Registered users: purchases, sessions, and erasure of their data. */
export function PeopleTab() {
  return (
    <>
      <TabHead title="Usuários" text="A gestão de usuários está em desenvolvimento.">
        Já dá para achar uma pessoa, ver as compras dela, encerrar sessões e apagar o cadastro.
      </TabHead>
      <AdminList
        list={usePeopleList()}
        details={(wallet, close) => <PersonSheet key={wallet} wallet={wallet} onClose={close} />}
      />
    </>
  );
}

function usePeopleList(): ListDefinition<AdminUser> {
  const { integer, chz, date } = useFormat();
  return {
    path: "/api/admin/users",
    row: adminUserSchema,
    title: "Usuários",
    noun: ["usuário", "usuários"],
    search: "nome, apelido, e-mail ou carteira",
    states: optionsOf(PERSON_WORDS),
    allStates: "Todos",
    sorts: [
      { value: "-created_at", label: "Mais novos" },
      { value: "created_at", label: "Mais antigos" },
      { value: "name", label: "Nome" },
      { value: "email", label: "E-mail" },
    ],
    keyOf: (row) => row.wallet,
    nameOf: (row) => (
      <>
        {personName(row)}
        <span className="row-note">
          {[row.nickname && `${row.first_name} ${row.last_name}`, row.email].filter(Boolean).join(" · ")}
        </span>
      </>
    ),
    columns: [
      { header: "Situação", cell: (row) => <StateBadge {...wordOf(PERSON_WORDS, row.state)} /> },
      {
        header: "Carteira",
        cell: (row) => (
          <span className="figures" title={row.wallet}>
            {shortenAddress(row.wallet)}
          </span>
        ),
      },
      { header: "Compras", isFigure: true, cell: (row) => integer(row.purchases) },
      { header: "Cashback pago", isFigure: true, cell: (row) => chz(row.paid) },
      { header: "Desde", cell: (row) => <time dateTime={row.created_at}>{date(row.created_at)}</time> },
    ],
    empty: { title: "Ninguém se cadastrou ainda", hint: "Quem entra com a carteira aparece aqui." },
  };
}
