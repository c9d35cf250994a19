import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApprovalGroup } from "../../../core/rules/api/admin-approvals.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { decideTogether } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { ApproveOrRefuse, Decider } from "./decider.tsx";
import { openGroupsQuery } from "./queries.ts";

type Deciding = { verb: "approve" | "refuse"; group: ApprovalGroup };

/** All that one person's decisions led to, as one request. A single payout has its own row. docs/product.md#panel-approvals */
export function ApprovalGroups() {
  const [deciding, setDeciding] = useState<Deciding>();
  const open = useQuery(openGroupsQuery);
  if (open.isError && !open.data)
    return <RetryPanel title="Não foi possível carregar os pedidos que esperam, somados." query={open} />;
  const groups = (open.data ?? []).filter(({ count }) => count > 1);
  // Figures that changed under the dialog are those to decide about.
  const current = groups.find(({ asked_by }) => asked_by === deciding?.group.asked_by) ?? deciding?.group;
  return (
    <>
      {groups.length > 0 && (
        <section aria-labelledby="approval-groups">
          <h3 id="approval-groups" className="card-title">
            Esperam uma segunda pessoa, de uma vez
          </h3>
          <ul className="admin-list">
            {groups.map((group) => (
              <Row key={group.asked_by} group={group} onDecide={(verb) => setDeciding({ verb, group })} />
            ))}
          </ul>
        </section>
      )}
      {deciding && current && (
        <GroupDialog verb={deciding.verb} group={current} onClose={() => setDeciding(undefined)} />
      )}
    </>
  );
}

type RowProps = { group: ApprovalGroup; onDecide: (verb: Deciding["verb"]) => void };

function Row({ group, onDecide }: RowProps) {
  const { chz, integer } = useFormat();
  const isOwn = useSession().profile?.wallet.toLowerCase() === group.asked_by;
  const what = `${integer(group.count)} pagamentos`;
  return (
    <li>
      <div className="admin-list-text">
        <h4 className="font-semibold figures">
          {what}, {chz(group.amount)}
        </h4>
        <p className="row-note">
          {isOwn ? (
            "Por decisão sua"
          ) : (
            <>
              Por decisão de <Decider name={group.asked_by} look="sentence" />
            </>
          )}
        </p>
        <p className="row-note figures">
          Para {buyersOf(group, integer)}, pedidos de <Span group={group} />
        </p>
      </div>
      <div className="buttons">
        <ApproveOrRefuse permission="payments" parties={[group.asked_by]} isAll what={what} onDecide={onDecide} />
      </div>
    </li>
  );
}

const buyersOf = ({ buyers }: ApprovalGroup, integer: (count: number) => string): string =>
  buyers === 1 ? "uma carteira" : `${integer(buyers)} carteiras`;

function Span({ group: { oldest, newest } }: { group: ApprovalGroup }) {
  const { dateTime } = useFormat();
  return (
    <>
      <time dateTime={oldest}>{dateTime(oldest)}</time> a <time dateTime={newest}>{dateTime(newest)}</time>
    </>
  );
}

function GroupDialog({ verb, group, onClose }: Deciding & { onClose: () => void }) {
  const { chz, integer, dateTime } = useFormat();
  const isApproval = verb === "approve";
  const count = integer(group.count);
  return (
    <DecisionDialog
      title={`${isApproval ? "Aprovar" : "Recusar"} ${count} pagamentos?`}
      text={
        isApproval
          ? "Seguem sozinhos assim que você aprovar. O que foi pago não volta: confira a soma, o maior e quem decidiu."
          : "Nada é pago, e as compras ficam paradas até alguém decidir de novo. Para pedir de novo, abra cada uma."
      }
      consequences={[
        ["Pagamentos", count],
        [isApproval ? "Vai ser pago" : "Não vai ser pago", chz(group.amount)],
        ["O maior", chz(group.largest)],
        ["Carteiras que recebem", integer(group.buyers)],
        ["O pedido mais antigo", dateTime(group.oldest)],
        ["O mais novo", dateTime(group.newest)],
        ["Por decisão de", <Decider key="asked" name={group.asked_by} look="whole" />],
      ]}
      action={`${isApproval ? "Aprovar" : "Recusar"} ${count}`}
      isDangerous={!isApproval}
      reasonHint={isApproval ? "O que você conferiu. Fica no registro." : "Por que não. Fica no registro."}
      done={isApproval ? `${count} pagamentos aprovados: já estão a caminho.` : `${count} pagamentos recusados.`}
      decide={(reason) => decideTogether(group, verb, reason)}
      onClose={onClose}
    />
  );
}
