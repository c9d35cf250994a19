import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { saoPauloSpan, saoPauloText } from "../../../core/rules/sao-paulo-time.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { endBoost, planBoost, withdrawBoost } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import type { BoostRow, StoreWithCategories } from "../shapes.ts";
import { BOOST_WORDS, wordOf } from "../words.ts";
import { BoostDialog } from "./boost-dialog.tsx";
import { boostsQuery } from "./queries.ts";

type Open = "plan" | { boost: BoostRow; kind: "end" | "withdraw" };

/** A store's boosts, past ones too: planned, ended and withdrawn here. docs/product.md#boost */
export function StoreBoosts({ store, reload }: { store: StoreWithCategories; reload: () => Promise<unknown> }) {
  const id = String(store.id);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const boosts = useQuery(boostsQuery(id));
  return (
    <section aria-labelledby="store-boosts">
      <div className="section-head">
        <h3 id="store-boosts" className="card-title">
          Cashback turbinado
        </h3>
        <PermittedButton permission="catalogue" className="button button-small" onClick={() => setOpen("plan")}>
          Turbinar
        </PermittedButton>
      </div>
      {boosts.data ? (
        <List boosts={boosts.data} onOpen={setOpen} />
      ) : boosts.isPending ? (
        <Skeletons count={1} className="h-14" />
      ) : (
        <RetryPanel title="Não foi possível carregar os cashbacks turbinados." query={boosts} />
      )}
      {open === "plan" && (
        <BoostDialog
          store={store}
          request={(fields) => planBoost(id, fields)}
          done="Cashback turbinado planejado."
          failed="Erro ao planejar o cashback turbinado."
          reload={reload}
          onClose={close}
        />
      )}
      {open && open !== "plan" && <EndDialog {...open} reload={reload} onClose={close} />}
    </section>
  );
}

function List({ boosts, onOpen }: { boosts: readonly BoostRow[]; onOpen: (open: Open) => void }) {
  const { percent } = useFormat();
  if (boosts.length === 0) return <p className="muted">Nenhum ainda: os percentuais da loja são sempre os de cima.</p>;
  return (
    <ul className="admin-list">
      {boosts.map((boost) => (
        <li key={boost.id}>
          <span className="boost-column">
            <StateBadge {...wordOf(BOOST_WORDS, boost.state)} />
          </span>
          <div className="admin-list-text">
            <h4 className="font-semibold">
              {percent(boost.percent)} em {boost.category ?? "toda a loja"}
            </h4>
            <p className="row-note">
              De {saoPauloSpan(boost.starts_at, boost.ends_at)}
              {boost.ends_at !== boost.planned_end_at && `, antes do previsto (${saoPauloText(boost.planned_end_at)})`}
            </p>
          </div>
          <div className="buttons">
            {boost.state === "running" && (
              <PermittedButton permission="catalogue" onClick={() => onOpen({ boost, kind: "end" })}>
                Encerrar agora
              </PermittedButton>
            )}
            {(boost.state === "planned" || boost.state === "waiting") && (
              <PermittedButton permission="catalogue" onClick={() => onOpen({ boost, kind: "withdraw" })}>
                Desistir
              </PermittedButton>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

type EndProps = { boost: BoostRow; kind: "end" | "withdraw"; reload: () => Promise<unknown>; onClose: () => void };

function EndDialog({ boost, kind, reload, onClose }: EndProps) {
  const isEnd = kind === "end";
  return (
    <DecisionDialog
      title={isEnd ? "Encerrar o cashback turbinado agora?" : "Desistir deste cashback turbinado?"}
      text={
        isEnd
          ? "Quem já foi à loja fica com o percentual turbinado. Visitas de agora em diante rendem o percentual de sempre."
          : "Ele não começa. Ninguém tinha recebido essa promessa ainda."
      }
      action={isEnd ? "Encerrar agora" : "Desistir"}
      isDangerous
      done={isEnd ? "Cashback turbinado encerrado." : "Cashback turbinado retirado."}
      decide={async () => {
        await (isEnd ? endBoost(boost.id) : withdrawBoost(boost.id));
        await reload();
      }}
      onClose={onClose}
    />
  );
}
