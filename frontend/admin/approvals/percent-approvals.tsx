import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { decidePercent } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import type { FactRow } from "../facts.tsx";
import style from "../list/admin-list.module.css";
import { viewHref } from "../list/list-address.ts";
import { RichText } from "../rich-text.tsx";
import type { PercentApproval } from "../shapes.ts";
import { reloadCatalogue } from "../stores/queries.ts";
import { saoPauloPeriod, t } from "../texts.ts";
import { boostedPercent } from "../words.ts";
import { ApproveOrRefuse, Decider } from "./decider.tsx";
import { openPercentsQuery } from "./queries.ts";

type Deciding = { verb: "approve" | "refuse"; asked: PercentApproval };

/** Percents that wait for a second person; nothing if there are none. docs/product.md#percent-approvals */
export function PercentApprovals() {
  const [deciding, setDeciding] = useState<Deciding>();
  const open = useQuery(openPercentsQuery);
  if (open.isError && !open.data) return <RetryPanel title={t("percents.failed")} query={open} />;
  if (!open.data || open.data.length === 0) return null;
  return (
    <section aria-labelledby="percents">
      <h3 id="percents" className="card-title">
        {t("percents.heading")}
      </h3>
      <ul className={style.cards}>
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
  const what = boostedPercent(percent(asked.percent), asked.category);
  return (
    <li>
      <div className={style.text}>
        <h4 className="font-semibold">
          <Link className="link" to={viewHref({ tab: "stores" }, { row: String(asked.store_id) })}>
            {asked.store}
          </Link>
          : {what}
        </h4>
        <p className={style.note}>
          {[
            spanOf(asked) ??
              (asked.from_percent === null
                ? t("percents.newCategory")
                : t("percents.now", { percent: percent(asked.from_percent) })),
            ...changeOf(asked),
          ].map((one) => `${one} · `)}
          {isOwn ? (
            t("percents.yours")
          ) : (
            <RichText id="percents.askedBy" who={<Decider name={asked.asked_by} look="sentence" />} />
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
  return t("percents.boost", { span: saoPauloPeriod(starts_at, ends_at) });
}

/** What else of the category changes, and raises the percent of other sales. */
function changeOf({ change }: PercentApproval): string[] {
  if (change === null) return [];
  const { group_code: group, is_default: isDefault, is_deleted: isDeleted } = change;
  return [
    ...(isDeleted ? [t("percents.deletes")] : []),
    ...(group === undefined ? [] : [group === null ? t("percents.noGroup") : t("percents.toGroup", { group })]),
    ...(isDefault === undefined ? [] : [isDefault ? t("percents.becomesDefault") : t("percents.endsDefault")]),
  ];
}

function PercentDialog({ verb, asked, onClose }: Deciding & { onClose: () => void }) {
  const client = useQueryClient();
  const { percent } = useFormat();
  const span = spanOf(asked);
  const rows: FactRow[] = [
    [t("store"), asked.store],
    [t("validFor"), asked.category ?? t("wholeStore")],
    [t("percent"), percent(asked.percent)],
    span === undefined
      ? [t("today"), asked.from_percent === null ? t("percents.newCategoryLong") : percent(asked.from_percent)]
      : [t("when"), span],
    ...changeOf(asked).map((one): FactRow => [t("percents.changes"), one]),
    [t("percents.askedByLabel"), <Decider key="asked" name={asked.asked_by} look="whole" />],
  ];
  return (
    <DecisionDialog
      title={t(`percents.title.${verb}`, { percent: percent(asked.percent), store: asked.store })}
      text={t(`percents.text.${verb}`)}
      consequences={rows}
      action={t(`percents.action.${verb}`)}
      isDangerous={verb === "refuse"}
      reasonHint={t("reasonHint.approve")}
      done={t(`percents.done.${verb}`)}
      decide={async (reason) => {
        await decidePercent(asked.id, verb, reason);
        await reloadCatalogue(client, String(asked.store_id));
      }}
      onClose={onClose}
    />
  );
}
