import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { nicknameRequestSchema } from "../../../core/rules/api/admin-people.ts";
import { ruleOf } from "../../../core/rules/broken-rule.ts";
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
import style from "../panel.module.css";
import type { AdminUser, UserDetails } from "../shapes.ts";
import { t, textOf } from "../texts.ts";
import { PERSON_WORDS, roleName, wordOf } from "../words.ts";
import { userQuery } from "./queries.ts";

export function PersonSheet({ wallet, onClose }: { wallet: string; onClose: () => void }) {
  const person = useQuery(userQuery(wallet));
  return (
    <Details title={t("noun.person")} query={person} onClose={onClose}>
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
              {t("person.erase")}
            </PermittedButton>
          )}
          {!isErased && (
            <PermittedButton permission="people" onClick={() => setDeciding("name")}>
              {t("person.nickname")}
            </PermittedButton>
          )}
          <PermittedButton
            permission="people"
            disabled={person.sessions.length === 0}
            onClick={() => setDeciding("revoke")}
          >
            {t("person.revoke")}
          </PermittedButton>
        </>
      }
    >
      <div className="grid gap-5">
        <div className={style.summary}>
          <StateBadge {...wordOf(PERSON_WORDS, person.state)} />
          {person.role && <p>{t("person.isAdmin", { role: roleName(person.role) })}</p>}
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
        [t("wallet"), <WholeWallet key="wallet" address={person.wallet} />],
        [t("person.registeredName"), person.nickname ? profileName(person) : undefined],
        [t("since"), dateTime(person.created_at)],
        [t("person.erasedAt"), person.erased_at && dateTime(person.erased_at)],
        [
          t("view.purchases"),
          <Link key="purchases" className="link" to={viewHref({ view: "purchases" }, { query: person.wallet })}>
            {integer(person.purchases)}
          </Link>,
        ],
        [t("cashbackPaid"), chz(person.paid)],
        [t("person.confirmed"), chz(person.confirmed)],
        [t("person.pending"), chz(person.pending)],
      ]}
    />
  );
}

function Sessions({ sessions }: Pick<UserDetails, "sessions">) {
  const { dateTime } = useFormat();
  return (
    <section aria-labelledby="sessions">
      <h3 id="sessions" className="card-title">
        {t("person.sessions")}
      </h3>
      {sessions.length === 0 && <p className="muted">{t("person.noSession")}</p>}
      <ul className={style.plainRows}>
        {sessions.map((session) => (
          <li key={session.created_at}>
            {t("person.session", {
              at: dateTime(session.created_at),
              how: textOf("person.sessionKind", session.kind) ?? session.kind,
              seen: dateTime(session.last_seen_at),
            })}
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
      title={t("person.revoke.title", { person: personName(person) })}
      text={t("person.revoke.text")}
      consequences={[[t("person.sessions"), integer(person.sessions.length)]]}
      action={t("person.revoke")}
      reasonHint={t("reasonHint.log")}
      done={t("person.revoke.done")}
      decide={(reason) => revokeSessions(person.wallet, reason)}
      onClose={onClose}
    />
  );
}

function NicknameDialog({ person, onClose }: DialogProps) {
  const [nickname, setNickname] = useState(person.nickname);
  return (
    <DecisionDialog
      title={t("person.nickname.title", { person: profileName(person) })}
      text={t("person.nickname.text")}
      action={t("person.nickname.action")}
      done={nickname.trim() === "" ? t("person.nickname.removed") : t("person.nickname.saved")}
      validate={() => problemOf(nickname)}
      decide={() => nameUser(person.wallet, nickname.trim())}
      onClose={onClose}
    >
      <Field label={t("person.nickname")} hint={t("person.nickname.hint")}>
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
      title={t("person.erase.title", { person: personName(person) })}
      text={t("person.erase.text")}
      consequences={[
        [t("person.erase.purchases"), integer(person.purchases)],
        [t("person.erase.open"), chz(person.confirmed)],
      ]}
      action={t("person.erase")}
      isDangerous
      reasonHint={t("person.erase.hint")}
      done={t("person.erase.done")}
      decide={(reason) => eraseUser(person.wallet, reason)}
      onClose={onClose}
    />
  );
}

type Named = Pick<AdminUser, "first_name" | "last_name" | "nickname" | "state">;

const profileName = (person: Named): string => `${person.first_name} ${person.last_name}`.trim() || t("person.noName");

export const personName = (person: Named): string =>
  person.state === "erased" ? t("person.erasedName") : person.nickname || profileName(person);
