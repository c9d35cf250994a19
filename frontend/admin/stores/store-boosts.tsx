import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { endBoost, planBoost, withdrawBoost } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import adminListStyle from "../list/admin-list.module.css";
import type { BoostRow, StoreWithCategories } from "../shapes.ts";
import { saoPauloMoment, saoPauloPeriod, t } from "../texts.ts";
import { BOOST_WORDS, boostedPercent, wordOf } from "../words.ts";
import { BoostDialog } from "./boost-dialog.tsx";
import { boostsQuery } from "./queries.ts";
import style from "./store-boosts.module.css";

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
          {t("boosts.title")}
        </h3>
        <PermittedButton permission="catalogue" className="button button-small" onClick={() => setOpen("plan")}>
          {t("boosts.new")}
        </PermittedButton>
      </div>
      {boosts.data ? (
        <List boosts={boosts.data} onOpen={setOpen} />
      ) : boosts.isPending ? (
        <Skeletons count={1} className="h-14" />
      ) : (
        <RetryPanel title={t("boosts.failed")} query={boosts} />
      )}
      {open === "plan" && (
        <BoostDialog
          store={store}
          request={(fields) => planBoost(id, fields)}
          done={t("boost.planned")}
          failed={t("boost.failed")}
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
  if (boosts.length === 0) return <p className="muted">{t("boosts.none")}</p>;
  return (
    <ul className={adminListStyle.cards}>
      {boosts.map((boost) => (
        <li key={boost.id}>
          <span className={style.column}>
            <StateBadge {...wordOf(BOOST_WORDS, boost.state)} />
          </span>
          <div className={adminListStyle.text}>
            <h4 className="font-semibold">{boostedPercent(percent(boost.percent), boost.category)}</h4>
            <p className={adminListStyle.note}>
              {t(boost.ends_at === boost.planned_end_at ? "boost.span" : "boost.spanEarly", {
                span: saoPauloPeriod(boost.starts_at, boost.ends_at),
                planned: saoPauloMoment(boost.planned_end_at),
              })}
            </p>
          </div>
          <div className="buttons">
            {boost.state === "running" && (
              <PermittedButton permission="catalogue" onClick={() => onOpen({ boost, kind: "end" })}>
                {t("boost.end.action")}
              </PermittedButton>
            )}
            {(boost.state === "planned" || boost.state === "waiting") && (
              <PermittedButton permission="catalogue" onClick={() => onOpen({ boost, kind: "withdraw" })}>
                {t("boost.withdraw.action")}
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
      title={isEnd ? t("boost.end.title") : t("boost.withdraw.title")}
      text={isEnd ? t("boost.end.text") : t("boost.withdraw.text")}
      action={isEnd ? t("boost.end.action") : t("boost.withdraw.action")}
      isDangerous
      done={isEnd ? t("boost.end.done") : t("boost.withdraw.done")}
      decide={async () => {
        await (isEnd ? endBoost(boost.id) : withdrawBoost(boost.id));
        await reload();
      }}
      onClose={onClose}
    />
  );
}
