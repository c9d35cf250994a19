import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApprovalGroup } from "../../../core/rules/api/admin-approvals.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { decideTogether } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import style from "../list/admin-list.module.css";
import { RichText } from "../rich-text.tsx";
import { t } from "../texts.ts";
import { ApproveOrRefuse, Decider } from "./decider.tsx";
import { openGroupsQuery } from "./queries.ts";

type Deciding = { verb: "approve" | "refuse"; group: ApprovalGroup };

/** All that one person's decisions led to, as one request. A single payout has its own row. docs/product.md#panel-approvals */
export function ApprovalGroups() {
  const [deciding, setDeciding] = useState<Deciding>();
  const open = useQuery(openGroupsQuery);
  if (open.isError && !open.data) return <RetryPanel title={t("groups.failed")} query={open} />;
  const groups = (open.data ?? []).filter(({ count }) => count > 1);
  // Figures that changed under the dialog are those to decide about.
  const current = groups.find(({ asked_by }) => asked_by === deciding?.group.asked_by) ?? deciding?.group;
  return (
    <>
      {groups.length > 0 && (
        <section aria-labelledby="approval-groups">
          <h3 id="approval-groups" className="card-title">
            {t("groups.heading")}
          </h3>
          <ul className={style.cards}>
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
  const { chz } = useFormat();
  const isOwn = useSession().profile?.wallet.toLowerCase() === group.asked_by;
  const what = t("groups.payments", { count: group.count });
  return (
    <li>
      <div className={style.text}>
        <h4 className="font-semibold figures">
          {what}, {chz(group.amount)}
        </h4>
        <p className={style.note}>
          {isOwn ? (
            t("groups.byYou")
          ) : (
            <RichText id="groups.by" who={<Decider name={group.asked_by} look="sentence" />} />
          )}
        </p>
        <p className={`${style.note} figures`}>
          <RichText
            id="groups.span"
            count={group.buyers}
            oldest={<Moment at={group.oldest} />}
            newest={<Moment at={group.newest} />}
          />
        </p>
      </div>
      <div className="buttons">
        <ApproveOrRefuse permission="payments" parties={[group.asked_by]} isAll what={what} onDecide={onDecide} />
      </div>
    </li>
  );
}

function Moment({ at }: { at: string }) {
  const { dateTime } = useFormat();
  return <time dateTime={at}>{dateTime(at)}</time>;
}

function GroupDialog({ verb, group, onClose }: Deciding & { onClose: () => void }) {
  const { chz, integer, dateTime } = useFormat();
  const isApproval = verb === "approve";
  const { count } = group;
  return (
    <DecisionDialog
      title={t(`groups.title.${verb}`, { count })}
      text={t(`groups.text.${verb}`)}
      consequences={[
        [t("view.payments"), integer(count)],
        [isApproval ? t("willBePaid") : t("willNotBePaid"), chz(group.amount)],
        [t("groups.largest"), chz(group.largest)],
        [t("groups.buyers"), integer(group.buyers)],
        [t("groups.oldest"), dateTime(group.oldest)],
        [t("groups.newest"), dateTime(group.newest)],
        [t("byDecisionOf"), <Decider key="asked" name={group.asked_by} look="whole" />],
      ]}
      action={t(`groups.action.${verb}`, { count })}
      isDangerous={!isApproval}
      reasonHint={t(`reasonHint.${verb}`)}
      done={t(`groups.done.${verb}`, { count })}
      decide={(reason) => decideTogether(group, verb, reason)}
      onClose={onClose}
    />
  );
}
