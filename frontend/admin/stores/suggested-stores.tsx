import { useQuery, useQueryClient } from "@tanstack/react-query";
import { suggestedStoreSchema } from "../../../core/rules/api/suggested-stores.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { toast } from "../../ui/toast.ts";
import { useOneAtATime } from "../../ui/use-one-at-a-time.ts";
import { acceptSuggestion, acceptWithheld, dismissSuggestion, readProgrammes } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import style from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { refusalOf } from "../refusals.ts";
import { networksQuery } from "../sales/queries.ts";
import type { SuggestedStore } from "../shapes.ts";
import { t } from "../texts.ts";
import { networkName, optionsOf, SUGGESTION_WORDS, wordOf } from "../words.ts";
import { reloadCatalogue } from "./queries.ts";
import storesTabStyle from "./stores-tab.module.css";

/** Shops that the networks offer and that are no stores yet. docs/product.md#suggested-stores */
export function SuggestedStores() {
  const act = useAct();
  return (
    <>
      <div className="section-head">
        <h2 className="section-title">{t("suggested.title")}</h2>
        <PermittedButton
          permission="catalogue"
          className="button"
          onClick={() => act(() => readProgrammes(), t("suggested.read.done"))}
        >
          {t("suggested.read")}
        </PermittedButton>
      </div>
      <div className="grid gap-4">
        <p className="muted">{t("suggested.text")}</p>
        <Rounds onAct={act} />
        <AdminList list={useSuggestions(act)} />
      </div>
    </>
  );
}

type Act = (work: () => Promise<unknown>, done: string) => void;

function useAct(): Act {
  const client = useQueryClient();
  const once = useOneAtATime(async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      toast.success(done, { id: "admin" });
    } catch (error) {
      toast.error(t("error"), { id: "admin", description: refusalOf(error) ?? t("bulk.wrong") });
    }
    await reloadCatalogue(client);
  });
  return (work, done) => void once(work, done);
}

/** What keeps an account's programmes from being read or followed. */
function Rounds({ onAct }: { onAct: Act }) {
  const { data } = useQuery(networksQuery);
  const troubled = (data?.programmes ?? []).filter(({ withheld, problem }) => withheld !== null || problem !== null);
  if (troubled.length === 0) return null;
  return (
    <ul className="grid gap-3">
      {troubled.map(({ network, account, withheld, problem, is_too_large }) => (
        <li key={`${network} ${account}`} className={`notice ${storesTabStyle.fault}`}>
          <p>
            <strong>
              {networkName(network)} ({account}):
            </strong>{" "}
            {withheld === null
              ? t(is_too_large ? "suggested.tooLarge" : "suggested.problem", { problem: problem ?? "" })
              : t("suggested.withheld", { count: withheld })}
          </p>
          {withheld !== null && (
            <PermittedButton
              permission="catalogue"
              onClick={() => onAct(() => acceptWithheld(network, account), t("suggested.withheld.done"))}
            >
              {t("suggested.withheld.accept")}
            </PermittedButton>
          )}
        </li>
      ))}
    </ul>
  );
}

function useSuggestions(act: Act): ListDefinition<SuggestedStore> {
  return {
    path: "/api/admin/suggested-stores",
    row: suggestedStoreSchema,
    title: t("suggested.title"),
    noun: "suggestion",
    search: t("stores.search"),
    states: optionsOf(SUGGESTION_WORDS),
    sorts: [
      { value: "-id", label: t("stores.newest") },
      { value: "id", label: t("stores.oldest") },
      { value: "name", label: t("name") },
    ],
    keyOf: (row) => String(row.id),
    nameOf: (row) => row.name,
    columns: [],
    card: (row) => <Suggestion row={row} act={act} />,
    bulk: {
      permission: "catalogue",
      fits: isAcceptable,
      what: "suggestions",
      isWithoutReason: true,
      consequences: () => [],
      decide: async ({ id }) => {
        await acceptSuggestion(id);
        return { success: true, message: "" };
      },
    },
    usualState: USUAL_STATE,
    empty: { title: t("suggested.none"), hint: t("suggested.none.hint") },
  };
}

/** The filter with which the tab opens. */
export const USUAL_STATE = "open";

const isAcceptable = ({ state, is_unread }: SuggestedStore) => state === "open" && !is_unread;

function Suggestion({ row, act }: { row: SuggestedStore; act: Act }) {
  const { id, name, network, account, country, domains, expected_days: days, state } = row;
  const where = [`${networkName(network)} (${account})`, country, domains.join(", ")];
  return (
    <>
      <div className={style.text}>
        <h3>{name}</h3>
        <p className="muted">{where.filter(Boolean).join(" · ")}</p>
        <Earnings row={row} />
        {days !== null && <p className={style.note}>{t("suggested.days", { count: days })}</p>}
      </div>
      <span className={storesTabStyle.column}>
        <StateBadge {...wordOf(SUGGESTION_WORDS, state)} />
      </span>
      {state !== "accepted" && (
        <div className="buttons">
          {state !== "gone" && !row.is_unread && (
            <PermittedButton
              permission="catalogue"
              className="button button-small"
              onClick={() => act(() => acceptSuggestion(id), t("suggested.accept.done"))}
            >
              {t("suggested.accept")}
              <span className="sr-only"> – {name}</span>
            </PermittedButton>
          )}
          {state === "open" && (
            <PermittedButton
              permission="catalogue"
              onClick={() => act(() => dismissSuggestion(id), t("suggested.dismiss.done"))}
            >
              {t("suggested.dismiss")}
              <span className="sr-only"> – {name}</span>
            </PermittedButton>
          )}
        </div>
      )}
    </>
  );
}

/** What each group would earn, and what buyers would get of it. */
function Earnings({ row: { categories, is_unread } }: { row: SuggestedStore }) {
  const { percent } = useFormat();
  if (is_unread) return <p className={style.note}>{t("suggested.unread")}</p>;
  if (categories.length === 0) return <p className={style.note}>{t("suggested.noRates")}</p>;
  return (
    <ul className={style.note}>
      {categories.slice(0, SHOWN_GROUPS).map(({ group_code, name, commission_percent, percent: followed }) => (
        <li key={group_code}>
          {commission_percent === null || followed === null
            ? t("suggested.fixed", { name })
            : t("suggested.earns", { name, commission: percent(commission_percent), percent: percent(followed) })}
        </li>
      ))}
      {categories.length > SHOWN_GROUPS && <li>{t("suggested.more", { count: categories.length - SHOWN_GROUPS })}</li>}
    </ul>
  );
}

const SHOWN_GROUPS = 4;
