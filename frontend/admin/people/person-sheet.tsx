import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { nicknameRequestSchema } from "../../../core/rules/api/admin-people.ts";
import { ruleOf } from "../../../core/rules/field-rules.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Field } from "../../ui/field.tsx";
import { eraseUser, nameUser, revokeSessions } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { Details, Sheet } from "../details.tsx";
import { Facts, WholeWallet } from "../facts.tsx";
import { invalidField } from "../invalid-field.ts";
import { viewHref } from "../list/list-address.ts";
import type { AdminUser, UserDetails } from "../shapes.ts";
import { PERSON_WORDS, roleName, wordOf } from "../words.ts";
import { userQuery } from "./queries.ts";

export function PersonSheet({ wallet, onClose }: { wallet: string; onClose: () => void }) {
  const person = useQuery(userQuery(wallet));
  return (
    <Details title="Usuário" query={person} onClose={onClose}>
      {(data) => <Person person={data} onClose={onClose} />}
    </Details>
  );
}

function Person({ person, onClose }: { person: UserDetails; onClose: () => void }) {
  const [deciding, setDeciding] = useState<"name" | "revoke" | "erase">();
  const closeDialog = () => setDeciding(undefined);
  const isErased = person.state === "erased";
  return (
    <Sheet
      title={personName(person)}
      note={person.email}
      onClose={onClose}
      actions={
        <>
          {!isErased && (
            <PermittedButton
              permission="people"
              className="button button-small button-danger"
              onClick={() => setDeciding("erase")}
            >
              Apagar cadastro
            </PermittedButton>
          )}
          {!isErased && (
            <PermittedButton permission="people" onClick={() => setDeciding("name")}>
              Apelido
            </PermittedButton>
          )}
          <PermittedButton
            permission="people"
            disabled={person.sessions.length === 0}
            onClick={() => setDeciding("revoke")}
          >
            Encerrar sessões
          </PermittedButton>
        </>
      }
    >
      <div className="grid gap-5">
        <div className="state-summary">
          <StateBadge {...wordOf(PERSON_WORDS, person.state)} />
          {person.role && <p>É admin: {roleName(person.role)}.</p>}
        </div>
        <PersonFacts person={person} />
        <Sessions sessions={person.sessions} />
      </div>
      {deciding === "name" && <NicknameDialog person={person} onClose={closeDialog} />}
      {deciding === "revoke" && <RevokeDialog person={person} onClose={closeDialog} />}
      {deciding === "erase" && <EraseDialog person={person} onClose={closeDialog} />}
    </Sheet>
  );
}

function PersonFacts({ person }: { person: UserDetails }) {
  const { chz, integer, dateTime } = useFormat();
  return (
    <Facts
      rows={[
        ["Carteira", <WholeWallet key="wallet" address={person.wallet} />],
        ["Nome no cadastro", person.nickname ? profileName(person) : undefined],
        ["Desde", dateTime(person.created_at)],
        ["Apagado em", person.erased_at && dateTime(person.erased_at)],
        [
          "Compras",
          <Link key="purchases" className="link" to={viewHref({ view: "purchases" }, { query: person.wallet })}>
            {integer(person.purchases)}
          </Link>,
        ],
        ["Cashback pago", chz(person.paid)],
        ["Confirmado, a pagar", chz(person.confirmed)],
        ["Pendente", chz(person.pending)],
      ]}
    />
  );
}

const SESSION_KINDS: Record<string, string> = { nonce: "assinatura com desafio", compat: "assinatura simples" };

function Sessions({ sessions }: Pick<UserDetails, "sessions">) {
  const { dateTime } = useFormat();
  return (
    <section aria-labelledby="sessions">
      <h3 id="sessions" className="card-title">
        Sessões abertas
      </h3>
      {sessions.length === 0 && <p className="muted">Nenhuma.</p>}
      <ul className="plain-rows">
        {sessions.map((session) => (
          <li key={session.created_at}>
            Entrou em {dateTime(session.created_at)}, por {SESSION_KINDS[session.kind] ?? session.kind}. Última vez:{" "}
            {dateTime(session.last_seen_at)}.
          </li>
        ))}
      </ul>
    </section>
  );
}

type DialogProps = { person: UserDetails; onClose: () => void };

function RevokeDialog({ person, onClose }: DialogProps) {
  const { integer } = useFormat();
  return (
    <DecisionDialog
      title={`Encerrar as sessões de ${personName(person)}?`}
      text="A pessoa sai em todos os aparelhos, e entra de novo com a carteira. Nenhum dado se perde."
      consequences={[["Sessões abertas", integer(person.sessions.length)]]}
      action="Encerrar sessões"
      reasonHint="Fica no registro."
      done="Sessões encerradas."
      decide={(reason) => revokeSessions(person.wallet, reason)}
      onClose={onClose}
    />
  );
}

function NicknameDialog({ person, onClose }: DialogProps) {
  const [nickname, setNickname] = useState(person.nickname);
  return (
    <DecisionDialog
      title={`Apelido de ${profileName(person)}`}
      text="Aparece no painel no lugar do nome, para a equipe reconhecer a carteira. Só a equipe vê."
      action="Salvar apelido"
      done={nickname.trim() === "" ? "Apelido tirado." : "Apelido salvo."}
      validate={() => problemOf(nickname)}
      decide={() => nameUser(person.wallet, nickname.trim())}
      onClose={onClose}
    >
      <Field label="Apelido" hint="Até 40 caracteres. Vazio: vale o nome do cadastro.">
        {(control) => (
          <input
            {...control}
            autoComplete="off"
            maxLength={40}
            value={nickname}
            onChange={({ target }) => setNickname(target.value)}
          />
        )}
      </Field>
    </DecisionDialog>
  );
}

function problemOf(nickname: string): string | undefined {
  const issue = nicknameRequestSchema.safeParse({ nickname }).error?.issues[0];
  return issue && invalidField("nickname", ruleOf(issue));
}

function EraseDialog({ person, onClose }: DialogProps) {
  const { chz, integer } = useFormat();
  return (
    <DecisionDialog
      title={`Apagar o cadastro de ${personName(person)}?`}
      text="Depois de 72 horas, nome, e-mail e tudo o que a pessoa escreveu são apagados para sempre, e as sessões acabam. Até lá, você desfaz em Aprovações, e a pessoa mantém a conta com um botão. Compras e pagamentos ficam: são da carteira, e o que é devido continua sendo pago."
      consequences={[
        ["Compras que ficam", integer(person.purchases)],
        ["Ainda a pagar", chz(person.confirmed)],
      ]}
      action="Apagar cadastro"
      isDangerous
      reasonHint="Fica no registro, sem o nome da pessoa."
      done="Pedido feito: o cadastro é apagado em 72 horas."
      decide={(reason) => eraseUser(person.wallet, reason)}
      onClose={onClose}
    />
  );
}

type Named = Pick<AdminUser, "first_name" | "last_name" | "nickname" | "state">;

const profileName = (person: Named): string => `${person.first_name} ${person.last_name}`.trim() || "Sem nome";

export const personName = (person: Named): string =>
  person.state === "erased" ? "Cadastro apagado" : person.nickname || profileName(person);
