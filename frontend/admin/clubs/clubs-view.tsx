import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Club as AnsweredClub } from "../../../core/rules/api/clubs.ts";
import { searchKey } from "../../../core/rules/text.ts";
import type { Heard } from "../../api/heard.ts";
import { clubsQuery } from "../../api/queries.ts";
import { drawnClub } from "../../club/clubs.ts";
import { initialsOf, Shirt } from "../../club/shirt.tsx";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { deleteClub, type Outcome } from "../admin-calls.ts";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import adminListStyle from "../list/admin-list.module.css";
import { t } from "../texts.ts";
import { ClubForm } from "./club-form.tsx";
import style from "./clubs-view.module.css";
import { editedClubsQuery } from "./queries.ts";

type Club = Heard<AnsweredClub>;

/** Clubs: the list, and a form with the shirt as it will be. docs/product.md#clubs */
export function ClubsView() {
  const client = useQueryClient();
  const [editing, setEditing] = useState<Club>();
  const [deleting, setDeleting] = useState<Club>();
  const form = useRef<HTMLElement>(null);
  const reload = () => client.invalidateQueries({ queryKey: clubsQuery.queryKey });
  /** On a phone the form is below the list. */
  function edit(club: Club | undefined) {
    flushSync(() => setEditing(club));
    form.current?.querySelector("input")?.focus();
  }
  async function remove(club: Club): Promise<Outcome> {
    const outcome = await deleteClub(club.slug);
    if (outcome.success) setEditing((now) => (now?.slug === club.slug ? undefined : now));
    return outcome;
  }
  return (
    <div className={`two-columns ${style.columns}`}>
      <section className="card card-body" aria-labelledby="club-list">
        <div className="section-head">
          <h2 id="club-list" className="card-title">
            {t("view.clubs")}
          </h2>
          <PermittedButton permission="catalogue" onClick={() => edit(undefined)}>
            {t("clubs.new")}
          </PermittedButton>
        </div>
        <ClubList onEdit={edit} onDelete={setDeleting} />
      </section>
      <section ref={form} className="card card-body" aria-labelledby="club-form">
        <h2 id="club-form" className="card-title">
          {t(editing ? "clubs.edit" : "clubs.new")}
        </h2>
        <ClubForm
          key={editing?.slug ?? ""}
          club={editing}
          onCancel={editing && (() => setEditing(undefined))}
          onClose={() => setEditing(undefined)}
          reload={reload}
        />
      </section>
      {deleting && (
        <ConfirmDialog
          title={t("deleteTitle", { name: deleting.name })}
          text={t("clubs.delete.text")}
          request={() => remove(deleting)}
          done={t("clubs.deleted")}
          failed={t("clubs.failed")}
          reload={reload}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </div>
  );
}

type ClubListProps = { onEdit: (club: Club) => void; onDelete: (club: Club) => void };

function ClubList({ onEdit, onDelete }: ClubListProps) {
  const clubs = useQuery(editedClubsQuery);
  const [typed, setTyped] = useState("");
  if (clubs.isPending) return <Skeletons count={4} className="h-16" />;
  if (!clubs.data) return <RetryPanel title={t("clubs.unread")} query={clubs} />;
  const wanted = searchKey(typed);
  const shown = clubs.data.filter(({ name, slug, aliases }) =>
    [name, slug, ...aliases].some((one) => searchKey(one).includes(wanted)),
  );
  return (
    <>
      <label className="field">
        <span>{t("clubs.search")}</span>
        <input type="search" value={typed} onChange={({ target }) => setTyped(target.value)} />
      </label>
      {shown.length === 0 && <EmptyPanel title={t("clubs.none")} />}
      <ul className={adminListStyle.cards}>
        {shown.map((club) => (
          <li key={club.slug}>
            <Shirt look={drawnClub(club)} initials={initialsOf(club.name)} />
            <div className={adminListStyle.text}>
              <h3>{club.name}</h3>
              <p className="muted">
                {[club.slug, club.country, ...club.colours, club.token_slug].filter(Boolean).join(" · ")}
              </p>
              {club.aliases.length > 0 && <p className={adminListStyle.note}>{club.aliases.join(", ")}</p>}
            </div>
            <div className="buttons">
              <PermittedButton permission="catalogue" onClick={() => onEdit(club)}>
                {t("edit")}
                <span className="sr-only"> – {club.name}</span>
              </PermittedButton>
              <PermittedButton permission="catalogue" onClick={() => onDelete(club)}>
                {t("delete")}
                <span className="sr-only"> – {club.name}</span>
              </PermittedButton>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
