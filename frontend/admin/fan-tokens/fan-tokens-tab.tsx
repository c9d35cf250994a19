import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { shortenAddress } from "../../../core/rules/wallet-address.ts";
import { fanTokensQuery } from "../../api/queries.ts";
import type { FanToken } from "../../api/shapes.ts";
import { useText } from "../../i18n/language.tsx";
import { Initial } from "../../ui/initial.tsx";
import { Picture } from "../../ui/picture.tsx";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { toast } from "../../ui/toast.ts";
import { deleteFanToken, type FanTokenFields, type Outcome } from "../admin-calls.ts";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import adminListStyle from "../list/admin-list.module.css";
import { t } from "../texts.ts";
import { EMPTY_FAN_TOKEN, FanTokenForm } from "./fan-token-form.tsx";
import style from "./fan-tokens-tab.module.css";
import { editedFanTokensQuery } from "./queries.ts";

const fieldsOf = ({ id, name, slug, image, contract }: FanToken): FanTokenFields => ({
  id,
  name,
  slug,
  image,
  contract,
});

/** Fan tokens: the list, and a form with a preview. */
export function FanTokensTab() {
  const shop = useText();
  const client = useQueryClient();
  const tokens = useQuery(editedFanTokensQuery);
  const [editing, setEditing] = useState<FanTokenFields>(EMPTY_FAN_TOKEN);
  const [deleting, setDeleting] = useState<FanToken>();
  const reload = () => client.invalidateQueries({ queryKey: fanTokensQuery.queryKey });

  const form = useRef<HTMLElement>(null);
  /** On a phone the form is below the list. */
  function startNew() {
    flushSync(() => setEditing(EMPTY_FAN_TOKEN));
    form.current?.querySelector("input")?.focus();
  }
  async function remove(token: FanToken): Promise<Outcome> {
    const outcome = await deleteFanToken(token.id);
    if (outcome.success) setEditing((now) => (now.id === token.id ? EMPTY_FAN_TOKEN : now));
    return outcome;
  }
  return (
    <div className={`two-columns ${style.columns}`}>
      <section className="card card-body" aria-labelledby="token-list">
        <div className="section-head">
          <h2 id="token-list" className="card-title">
            {t("tokens.title")}
          </h2>
          <PermittedButton permission="catalogue" onClick={startNew}>
            {t("tokens.new")}
          </PermittedButton>
        </div>
        <TokenList tokens={tokens} onEdit={(token) => setEditing(fieldsOf(token))} onDelete={setDeleting} />
      </section>
      <section ref={form} className="card card-body" aria-labelledby="token-form">
        <h2 id="token-form" className="card-title">
          {editing.id ? t("tokens.edit") : t("tokens.new")}
        </h2>
        <FanTokenForm
          key={editing.id ?? "new"}
          initial={editing}
          onCancel={editing.id ? () => setEditing(EMPTY_FAN_TOKEN) : undefined}
          onClose={() => setEditing(EMPTY_FAN_TOKEN)}
          reload={reload}
        />
      </section>
      {deleting && (
        <ConfirmDialog
          title={t("deleteTitle", { name: deleting.name })}
          text={t("tokens.delete.text")}
          request={() => remove(deleting)}
          done={shop("fanTokenDeleted")}
          failed={shop("errorDeletingFanToken")}
          reload={reload}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </div>
  );
}

type TokenListProps = {
  tokens: UseQueryResult<FanToken[]>;
  onEdit: (token: FanToken) => void;
  onDelete: (token: FanToken) => void;
};

function TokenList({ tokens, onEdit, onDelete }: TokenListProps) {
  const shop = useText();
  const { isError, errorUpdateCount } = tokens;
  useEffect(() => {
    if (isError && errorUpdateCount > 0)
      toast.error(t("error"), { id: "admin-tokens", description: shop("errorFetchingFanTokens") });
  }, [isError, errorUpdateCount, shop]);
  if (tokens.isPending) return <Skeletons count={2} className="h-16" />;
  if (isError && !tokens.data) return <RetryPanel title={shop("errorFetchingFanTokens")} query={tokens} />;
  if (tokens.data?.length === 0) return <EmptyPanel title={t("tokens.none")} hint={t("tokens.none.hint")} />;
  return (
    <ul className={adminListStyle.cards}>
      {tokens.data?.map((token) => (
        <li key={token.id}>
          <TokenFacts token={token} />
          <div className="buttons">
            <PermittedButton permission="catalogue" onClick={() => onEdit(token)}>
              {t("edit")}
              <span className="sr-only"> – {token.name}</span>
            </PermittedButton>
            <PermittedButton permission="catalogue" onClick={() => onDelete(token)}>
              {t("delete")}
              <span className="sr-only"> – {token.name}</span>
            </PermittedButton>
          </div>
        </li>
      ))}
    </ul>
  );
}

function TokenFacts({ token }: { token: FanToken }) {
  return (
    <>
      <Picture
        src={token.image}
        alt=""
        className="token-image"
        fallback={<Initial name={token.slug} letters={3} className="token-image" />}
      />
      <div className={adminListStyle.text}>
        <h3>{token.name}</h3>
        <p className="muted">
          {token.slug} · {token.symbol || token.slug.toUpperCase()}
        </p>
        <p className={adminListStyle.note}>
          {token.contract ? t("tokens.contract", { contract: shortenAddress(token.contract) }) : t("tokens.noContract")}
        </p>
      </div>
    </>
  );
}
