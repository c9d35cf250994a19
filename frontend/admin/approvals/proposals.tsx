import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { mayPropose, PROPOSAL_KINDS } from "../../../core/rules/proposals.ts";
import { ROLES } from "../../../core/rules/roles.ts";
import { knownOf } from "../../api/heard.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { decideProposal } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { usePermissions } from "../decisions/permissions.tsx";
import { type FactRow, WholeWallet } from "../facts.tsx";
import style from "../list/admin-list.module.css";
import { RichText } from "../rich-text.tsx";
import type { ProposalRow } from "../shapes.ts";
import { reloadCatalogue } from "../stores/queries.ts";
import { t } from "../texts.ts";
import { Decider } from "./decider.tsx";
import { proposalChanges, proposalTitle } from "./proposal-words.ts";
import { openProposalsQuery } from "./queries.ts";

type Verb = "agree" | "refuse" | "undo";
type Deciding = { verb: Verb; asked: ProposalRow };

/** Changes that move buyers or money, or cannot be undone; nothing if there are none. docs/product.md#proposals */
export function Proposals() {
  const [deciding, setDeciding] = useState<Deciding>();
  const open = useQuery(openProposalsQuery);
  if (open.isError && !open.data) return <RetryPanel title={t("proposal.failed")} query={open} />;
  if (!open.data || open.data.length === 0) return null;
  return (
    <section aria-labelledby="proposals">
      <h3 id="proposals" className="card-title">
        {t("proposal.heading")}
      </h3>
      <ul className={style.cards}>
        {open.data.map((asked) => (
          <Row key={asked.id} asked={asked} onDecide={(verb) => setDeciding({ verb, asked })} />
        ))}
      </ul>
      {deciding && <ProposalDialog {...deciding} onClose={() => setDeciding(undefined)} />}
    </section>
  );
}

function Row({ asked, onDecide }: { asked: ProposalRow; onDecide: (verb: Verb) => void }) {
  const { dateTime, date, brl } = useFormat();
  const title = proposalTitle(asked, brl);
  const wallet = useSession().profile?.wallet.toLowerCase();
  const { role } = usePermissions();
  const isOwn = wallet === asked.asked_by;
  const isAbout = asked.kind === "sessions" && asked.subject_id === wallet;
  const kind = knownOf(PROPOSAL_KINDS, asked.kind);
  const isAllowed = kind !== undefined && mayPropose(knownOf(ROLES, role), kind) && !isAbout;
  const verbs: Verb[] = isOwn || asked.state !== "open" ? ["undo"] : ["agree", "refuse"];
  return (
    <li>
      <div className={style.text}>
        <h4 className="font-semibold">{title}</h4>
        {proposalChanges(asked, date).map((change) => (
          <p key={change} className={style.note}>
            {change}
          </p>
        ))}
        {asked.reason && <p className={style.note}>“{asked.reason}”</p>}
        <p className={style.note}>
          <RichText
            id={isOwn ? "proposal.askedByYou" : "proposal.askedBy"}
            who={<Decider name={asked.asked_by} look="sentence" />}
            at={<time dateTime={asked.created_at}>{dateTime(asked.created_at)}</time>}
          />
        </p>
        <p className={`${style.note} figures`}>
          {asked.needs_second && `${t("proposal.needsSecond")} `}
          {asked.decided_by && (
            <>
              <RichText id="proposal.agreed" who={<Decider name={asked.decided_by} look="sentence" />} />{" "}
            </>
          )}
          {asked.takes_effect_at && t("proposal.effect", { at: dateTime(asked.takes_effect_at) })}
        </p>
      </div>
      <div className="buttons">
        {isAllowed || isOwn ? (
          verbs.map((verb) => (
            <button
              key={verb}
              type="button"
              className={verb === "agree" ? "button button-small" : "button button-small button-quiet"}
              onClick={() => onDecide(verb)}
            >
              {t(`proposal.verb.${verb}`)}
              <span className="sr-only"> – {title}</span>
            </button>
          ))
        ) : (
          <span className={style.note}>{asked.state === "open" ? t("waitsForOther") : t("proposal.waitsForDay")}</span>
        )}
      </div>
    </li>
  );
}

function ProposalDialog({ verb, asked, onClose }: Deciding & { onClose: () => void }) {
  const client = useQueryClient();
  const { date, brl } = useFormat();
  const title = proposalTitle(asked, brl);
  const isWallet = asked.kind === "erase" || asked.kind === "sessions";
  const rows: FactRow[] = [
    [t("what"), title],
    ...(isWallet
      ? [[t("proposal.whose"), <WholeWallet key="who" address={String(asked.subject_id)} />] satisfies FactRow]
      : proposalChanges(asked, date).map((change): FactRow => [t("proposal.changes"), change])),
    [t("proposal.askedByLabel"), <Decider key="asked" name={asked.asked_by} look="whole" />],
  ];
  return (
    <DecisionDialog
      title={t(`proposal.title.${verb}`, { what: title })}
      text={t(`proposal.text.${verb}`)}
      consequences={rows}
      action={t(`proposal.verb.${verb}`)}
      isDangerous={verb === "refuse"}
      {...(verb === "undo" ? {} : { reasonHint: t("reasonHint.approve") })}
      done={verb === "agree" ? t("proposal.done") : t("proposal.over")}
      decide={async (reason) => {
        await decideProposal(asked.id, verb, reason);
        if (asked.kind.startsWith("store_")) await reloadCatalogue(client, String(asked.subject_id));
        return undefined;
      }}
      onClose={onClose}
    />
  );
}
