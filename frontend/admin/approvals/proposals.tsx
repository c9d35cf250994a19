import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { mayPropose, PROPOSAL_KINDS } from "../../../core/rules/proposals.ts";
import { ownValue } from "../../../core/rules/records.ts";
import { ROLES } from "../../../core/rules/roles.ts";
import { knownOf } from "../../api/heard.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { decideProposal } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { usePermissions } from "../decisions/permissions.tsx";
import { type FactRow, WholeWallet } from "../facts.tsx";
import type { ProposalRow } from "../shapes.ts";
import { reloadCatalogue } from "../stores/queries.ts";
import { newWord } from "../words.ts";
import { Decider } from "./decider.tsx";
import { openProposalsQuery } from "./queries.ts";

type Verb = "agree" | "refuse" | "undo";
type Deciding = { verb: Verb; asked: ProposalRow };

const VERBS: Readonly<Record<Verb, string>> = { agree: "Concordar", refuse: "Recusar", undo: "Desfazer" };

/** Changes that move buyers or money, or cannot be undone; nothing if there are none. docs/product.md#proposals */
export function Proposals() {
  const [deciding, setDeciding] = useState<Deciding>();
  const open = useQuery(openProposalsQuery);
  if (open.isError && !open.data)
    return <RetryPanel title="Não foi possível carregar as mudanças que esperam." query={open} />;
  if (!open.data || open.data.length === 0) return null;
  return (
    <section aria-labelledby="proposals">
      <h3 id="proposals" className="card-title">
        Mudanças que esperam uma segunda pessoa ou o seu dia
      </h3>
      <ul className="admin-list">
        {open.data.map((asked) => (
          <Row key={asked.id} asked={asked} onDecide={(verb) => setDeciding({ verb, asked })} />
        ))}
      </ul>
      {deciding && <ProposalDialog {...deciding} onClose={() => setDeciding(undefined)} />}
    </section>
  );
}

/** What it is, as a sentence; an unknown kind by its own name. */
function whatOf({ kind, subject, subject_id }: ProposalRow): string {
  const name = subject ?? String(subject_id);
  const known: Record<string, string> = {
    store_link: `Link da loja ${name}`,
    store_account: `Conta de afiliado da loja ${name}`,
    store_merchant: `Lojista da loja ${name}`,
    token_contract: `Contrato do fan token ${name}`,
    sessions: "Encerrar as sessões de uma pessoa da equipe",
    erase: "Apagar um cadastro",
  };
  return ownValue(known, kind) ?? `${newWord(kind)}, ${name}`;
}

function Row({ asked, onDecide }: { asked: ProposalRow; onDecide: (verb: Verb) => void }) {
  const { dateTime } = useFormat();
  const wallet = useSession().profile?.wallet.toLowerCase();
  const { role } = usePermissions();
  const isOwn = wallet === asked.asked_by;
  const isAbout = asked.kind === "sessions" && asked.subject_id === wallet;
  const kind = knownOf(PROPOSAL_KINDS, asked.kind);
  const isAllowed = kind !== undefined && mayPropose(knownOf(ROLES, role), kind) && !isAbout;
  const verbs: Verb[] = isOwn || asked.state !== "open" ? ["undo"] : ["agree", "refuse"];
  return (
    <li>
      <div className="admin-list-text">
        <h4 className="font-semibold">{whatOf(asked)}</h4>
        {asked.changes.map(({ field, from, to }) => (
          <p key={field} className="row-note break-all">
            De {from ?? "nada"} para {to ?? "nada"}
          </p>
        ))}
        {asked.reason && <p className="row-note">“{asked.reason}”</p>}
        <p className="row-note">
          {isOwn ? (
            "Pedido por você"
          ) : (
            <>
              Pedido por <Decider name={asked.asked_by} look="sentence" />
            </>
          )}
          , <time dateTime={asked.created_at}>{dateTime(asked.created_at)}</time>
        </p>
        <p className="row-note figures">
          {asked.needs_second && "Só quando outra pessoa concordar. "}
          {asked.decided_by && (
            <>
              Outra pessoa concordou: <Decider name={asked.decided_by} look="sentence" />.{" "}
            </>
          )}
          {asked.takes_effect_at && `Vale em ${dateTime(asked.takes_effect_at)}.`}
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
              {VERBS[verb]}
              <span className="sr-only"> – {whatOf(asked)}</span>
            </button>
          ))
        ) : (
          <span className="row-note">{asked.state === "open" ? "Espera outra pessoa." : "Espera o seu dia."}</span>
        )}
      </div>
    </li>
  );
}

const TEXTS: Readonly<Record<Verb, string>> = {
  agree: "Confira para onde leva e quem pediu. Vale assim que você concordar, ou no seu dia, onde ele é fixo.",
  refuse: "Nada muda. Para pedir de novo, a pessoa faz a mudança outra vez.",
  undo: "Nada muda: o pedido acaba aqui.",
};

function ProposalDialog({ verb, asked, onClose }: Deciding & { onClose: () => void }) {
  const client = useQueryClient();
  const isWallet = asked.kind === "erase" || asked.kind === "sessions";
  const rows: FactRow[] = [
    ["O quê", whatOf(asked)],
    ...(isWallet
      ? [["De quem", <WholeWallet key="who" address={String(asked.subject_id)} />] satisfies FactRow]
      : asked.changes.map(({ from, to }): FactRow => ["Muda", `De ${from ?? "nada"} para ${to ?? "nada"}`])),
    ["Pedido por", <Decider key="asked" name={asked.asked_by} look="whole" />],
  ];
  return (
    <DecisionDialog
      title={`${VERBS[verb]}: ${whatOf(asked)}?`}
      text={TEXTS[verb]}
      consequences={rows}
      action={VERBS[verb]}
      isDangerous={verb === "refuse"}
      {...(verb === "undo" ? {} : { reasonHint: "O que você conferiu. Fica no registro." })}
      done={verb === "agree" ? "Feito." : "O pedido acabou: nada muda."}
      decide={async (reason) => {
        await decideProposal(asked.id, verb, reason);
        if (asked.kind.startsWith("store_")) await reloadCatalogue(client, String(asked.subject_id));
        return undefined;
      }}
      onClose={onClose}
    />
  );
}
