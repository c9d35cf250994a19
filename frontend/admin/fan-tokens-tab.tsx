import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { toast } from "sonner";
import { SLUG_PATTERN } from "../../domain/slug.ts";
import { fanTokensQuery } from "../api/queries.ts";
import type { FanToken } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { Initial } from "../ui/initial.tsx";
import { Picture } from "../ui/picture.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import { deleteFanToken, type FanTokenFields, saveFanToken } from "./admin-calls.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

const EMPTY: FanTokenFields = { name: "", slug: "", image: "" };

/** Fan tokens: a form with a preview, and the list. */
export function FanTokensTab() {
  const t = useText();
  const client = useQueryClient();
  const tokens = useQuery({ ...fanTokensQuery, refetchOnMount: "always" });
  const [editing, setEditing] = useState<FanTokenFields>(EMPTY);
  const [deleting, setDeleting] = useState<FanToken>();
  const { isError, errorUpdateCount } = tokens;
  useEffect(() => {
    if (isError && errorUpdateCount > 0)
      toast.error("Erro", { id: "admin-tokens", description: t("errorFetchingFanTokens") });
  }, [isError, errorUpdateCount, t]);
  const reload = () => client.invalidateQueries({ queryKey: fanTokensQuery.queryKey });

  async function remove(token: FanToken) {
    const outcome = await deleteFanToken(token.id);
    if (outcome.success) {
      toast.success(t("fanTokenDeleted"), { id: "admin" });
      if (editing.id === token.id) setEditing(EMPTY);
      await reload();
    } else
      toast.error("Erro", {
        id: "admin",
        description: outcome.isServersWord ? outcome.message : `${t("errorDeletingFanToken")} (${outcome.message})`,
      });
  }
  return (
    <div className="two-columns">
      <section aria-labelledby="token-form">
        <h2 id="token-form" className="section-title">
          {editing.id ? "Editar fan token" : "Novo fan token"}
        </h2>
        <FanTokenForm
          key={editing.id ?? "new"}
          initial={editing}
          onCancel={editing.id ? () => setEditing(EMPTY) : undefined}
          onSaved={() => {
            setEditing(EMPTY);
            return reload();
          }}
        />
      </section>
      <section aria-labelledby="token-list">
        <h2 id="token-list" className="section-title">
          Fan tokens
        </h2>
        {tokens.isPending ? (
          <Skeletons count={2} className="h-16" />
        ) : isError && !tokens.data ? (
          <RetryPanel
            title={t("errorFetchingFanTokens")}
            error={tokens.error}
            onRetry={() => tokens.refetch()}
            isRetrying={tokens.isFetching}
          />
        ) : tokens.data?.length === 0 ? (
          <EmptyPanel title="Nenhum fan token cadastrado" hint="Preencha o formulário para cadastrar o primeiro." />
        ) : (
          <ul className="admin-list">
            {tokens.data?.map((token) => (
              <li key={token.id}>
                <Picture
                  src={token.image}
                  alt=""
                  className="token-image"
                  fallback={<Initial name={token.slug} letters={3} className="token-image" />}
                />
                <div className="admin-list-text">
                  <h3>{token.name}</h3>
                  <p className="muted">{token.slug}</p>
                </div>
                <div className="admin-list-actions">
                  <button
                    type="button"
                    className="button button-small button-quiet"
                    onClick={() => setEditing({ id: token.id, name: token.name, slug: token.slug, image: token.image })}
                  >
                    Editar<span className="sr-only"> – {token.name}</span>
                  </button>
                  <button type="button" className="button button-small button-quiet" onClick={() => setDeleting(token)}>
                    Excluir<span className="sr-only"> – {token.name}</span>
                  </button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </section>
      {deleting && (
        <ConfirmDialog
          title={`Excluir ${deleting.name}?`}
          text="Tem certeza que deseja excluir este fan token?"
          onConfirm={() => remove(deleting)}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </div>
  );
}

type FormProps = { initial: FanTokenFields; onCancel: (() => void) | undefined; onSaved: () => Promise<unknown> };

/** Name, slug and image are required; the slug takes lower-case letters, digits and hyphens. Specification, section 5. */
function FanTokenForm({ initial, onCancel, onSaved }: FormProps) {
  const t = useText();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState(initial);
  const [hasTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const name = fields.name.trim();
  const slug = fields.slug.trim();
  const image = fields.image.trim();
  const problems = {
    name: name ? "" : t("fanTokenRequired"),
    slug: !slug ? t("fanTokenRequired") : SLUG_PATTERN.test(slug) ? "" : t("fanTokenSlugHelp"),
    image: image ? "" : t("fanTokenRequired"),
  };

  async function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    const wrong = (["name", "slug", "image"] as const).find((field) => problems[field]);
    if (wrong) {
      form.current?.querySelector<HTMLInputElement>(`[name="${wrong}"]`)?.focus();
      return;
    }
    setBusy(true);
    const outcome = await saveFanToken({ ...fields, name, slug, image });
    setBusy(false);
    if (!outcome.success) {
      toast.error("Erro", {
        id: "admin",
        description: outcome.isServersWord ? outcome.message : `${t("errorSavingFanToken")} (${outcome.message})`,
      });
      return;
    }
    toast.success(t("fanTokenSaved"), { id: "admin" });
    setFields(EMPTY);
    setTried(false);
    await onSaved();
  }

  const field = (key: "name" | "slug" | "image", label: string, type: "text" | "url", hint?: string) => {
    const problem = hasTried ? problems[key] : "";
    const describedBy = [hint && `${id}-${key}-hint`, problem && `${id}-${key}-problem`].filter(Boolean).join(" ");
    return (
      <div className="field">
        <label htmlFor={`${id}-${key}`}>{label}</label>
        <input
          id={`${id}-${key}`}
          name={key}
          type={type}
          required
          value={fields[key]}
          aria-invalid={problem !== ""}
          aria-describedby={describedBy || undefined}
          onChange={({ target }) =>
            setFields((before) => ({ ...before, [key]: key === "slug" ? target.value.toLowerCase() : target.value }))
          }
        />
        {hint && !problem && (
          <span id={`${id}-${key}-hint`} className="field-hint">
            {hint}
          </span>
        )}
        {problem && (
          <span id={`${id}-${key}-problem`} role="alert" className="field-problem">
            {problem}
          </span>
        )}
      </div>
    );
  };
  return (
    <form ref={form} onSubmit={submit} noValidate className="grid gap-4">
      {field("name", "Nome", "text")}
      {field("slug", "Slug", "text", t("fanTokenSlugHelp"))}
      {field("image", "URL da imagem", "url")}
      <div>
        <p className="field-hint">Prévia</p>
        <div className="token-preview">
          {image ? (
            <Picture
              key={image}
              src={image}
              alt={`Prévia da imagem de ${name || "fan token"}`}
              className="token-preview-image"
              fallback={
                <span role="img" aria-label="A imagem não carregou" className="token-preview-broken">
                  <Initial name={slug || "?"} letters={3} />
                  <span aria-hidden="true">A imagem não carregou. Confira a URL.</span>
                </span>
              }
            />
          ) : (
            <span className="muted">Informe a URL para ver a imagem.</span>
          )}
        </div>
      </div>
      <div className="form-actions">
        {onCancel && (
          <button type="button" className="button button-quiet" onClick={onCancel}>
            Cancelar
          </button>
        )}
        <button type="submit" className="button" disabled={isBusy}>
          {isBusy ? "Salvando..." : "Salvar"}
        </button>
      </div>
    </form>
  );
}
