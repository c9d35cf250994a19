import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { saoPauloSpan } from "../../../core/rules/sao-paulo-time.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { decidePercent } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import type { FactRow } from "../facts.tsx";
import { viewHref } from "../list/list-address.ts";
import type { PercentApproval } from "../shapes.ts";
import { reloadCatalogue } from "../stores/queries.ts";
import { ApproveOrRefuse, Decider } from "./decider.tsx";
import { openPercentsQuery } from "./queries.ts";

type Deciding = { verb: "approve" | "refuse"; asked: PercentApproval };

/** Percents that wait for a second person; nothing if there are none. docs/product.md#percent-approvals */
export function PercentApprovals() {
  const [deciding, setDeciding] = useState<Deciding>();
  const open = useQuery(openPercentsQuery);
  if (open.isError && !open.data)
    return <RetryPanel title="Não foi possível carregar os percentuais que esperam." query={open} />;
  if (!open.data || open.data.length === 0) return null;
  return (
    <section aria-labelledby="percents">
      <h3 id="percents" className="card-title">
        Percentuais que esperam uma segunda pessoa
      </h3>
      <ul className="admin-list">
        {open.data.map((asked) => (
          <Row key={asked.id} asked={asked} onDecide={(verb) => setDeciding({ verb, asked })} />
        ))}
      </ul>
      {deciding && <PercentDialog {...deciding} onClose={() => setDeciding(undefined)} />}
    </section>
  );
}

function Row({ asked, onDecide }: { asked: PercentApproval; onDecide: (verb: Deciding["verb"]) => void }) {
  const { percent } = useFormat();
  const isOwn = useSession().profile?.wallet.toLowerCase() === asked.asked_by;
  const what = `${percent(asked.percent)} em ${asked.category ?? "toda a loja"}`;
  return (
    <li>
      <div className="admin-list-text">
        <h4 className="font-semibold">
          <Link className="link" to={viewHref({ tab: "stores" }, { row: String(asked.store_id) })}>
            {asked.store}
          </Link>
          : {what}
        </h4>
        <p className="row-note">
          {spanOf(asked) ?? (asked.from_percent === null ? "Categoria nova" : `Hoje: ${percent(asked.from_percent)}`)} ·{" "}
          {changeOf(asked).map((one) => `${one} · `)}
          {isOwn ? (
            "pedido seu"
          ) : (
            <>
              pedido de <Decider name={asked.asked_by} look="sentence" />
            </>
          )}
        </p>
      </div>
      <div className="buttons">
        <ApproveOrRefuse permission="catalogue" parties={[asked.asked_by]} what={what} onDecide={onDecide} />
      </div>
    </li>
  );
}

function spanOf({ starts_at, ends_at }: PercentApproval): string | undefined {
  if (starts_at === null || ends_at === null) return undefined;
  return `Turbinado de ${saoPauloSpan(starts_at, ends_at)}`;
}

/** What else of the category changes, and raises the percent of other sales. */
function changeOf({ change }: PercentApproval): string[] {
  if (change === null) return [];
  const { group_code: group, is_default: isDefault, is_deleted: isDeleted } = change;
  return [
    ...(isDeleted ? ["Exclui a categoria"] : []),
    ...(group === undefined ? [] : [group === null ? "Deixa de ter grupo" : `Passa ao grupo ${group}`]),
    ...(isDefault === undefined ? [] : [isDefault ? "Passa a ser a padrão" : "Deixa de ser a padrão"]),
  ];
}

function PercentDialog({ verb, asked, onClose }: Deciding & { onClose: () => void }) {
  const client = useQueryClient();
  const { percent } = useFormat();
  const isApproval = verb === "approve";
  const span = spanOf(asked);
  const rows: FactRow[] = [
    ["Loja", asked.store],
    ["Vale para", asked.category ?? "Toda a loja"],
    ["Percentual", percent(asked.percent)],
    span === undefined
      ? ["Hoje", asked.from_percent === null ? "A categoria ainda não existe" : percent(asked.from_percent)]
      : ["Quando", span],
    ...changeOf(asked).map((one): FactRow => ["O que muda", one]),
    ["Pedido de", <Decider key="asked" name={asked.asked_by} look="whole" />],
  ];
  return (
    <DecisionDialog
      title={`${isApproval ? "Aprovar" : "Recusar"} ${percent(asked.percent)} em ${asked.store}?`}
      text={isApproval ? "Vale assim que você aprovar, para as visitas de então em diante." : "Nada muda na loja."}
      consequences={rows}
      action={isApproval ? "Aprovar percentual" : "Recusar percentual"}
      isDangerous={!isApproval}
      reasonHint="O que você conferiu. Fica no registro."
      done={isApproval ? "Percentual aprovado." : "Percentual recusado."}
      decide={async (reason) => {
        await decidePercent(asked.id, verb, reason);
        await reloadCatalogue(client, String(asked.store_id));
      }}
      onClose={onClose}
    />
  );
}
