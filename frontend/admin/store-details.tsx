import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { getStore } from "../api/calls.ts";
import { storesQuery } from "../api/queries.ts";
import type { Store, StoreCashback } from "../api/shapes.ts";
import { useFormat } from "../i18n/use-format.ts";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import {
  addCashback,
  type CashbackFields,
  deleteCashback,
  deleteStore,
  type Outcome,
  type StoreFields,
  updateCashback,
  updateStore,
} from "./admin-calls.ts";
import { toastOutcome } from "./admin-toasts.tsx";
import { CashbackDialog } from "./cashback-dialog.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { StoreDialog } from "./store-dialog.tsx";

type Open =
  | { kind: "edit" }
  | { kind: "delete" }
  | { kind: "add" }
  | { kind: "edit-cashback" | "delete-cashback"; cashback: StoreCashback };

const fieldsOf = (store: Store): StoreFields => ({
  name: store.name,
  country: store.country,
  club: store.club,
  category: store.category,
  description: store.description,
  logo: store.logo,
  affiliate_link: store.affiliateLink,
  featured: store.featured,
});

/** One store with its categories. */
export function StoreDetails({ store, onBack }: { store: Store; onBack: () => void }) {
  const client = useQueryClient();
  const { percent, percentRange } = useFormat();
  const [open, setOpen] = useState<Open>();
  const details = useQuery({
    queryKey: ["store", store.id],
    queryFn: ({ signal }) => getStore(store.id, { signal }),
    staleTime: 0,
  });
  const { isError, errorUpdateCount } = details;
  useEffect(() => {
    if (isError && errorUpdateCount > 0) {
      toast.error("Erro", { id: "admin-store", description: "Não foi possível carregar os cashbacks da loja." });
    }
  }, [isError, errorUpdateCount]);
  // The pressed button of the list does not exist any more.
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const close = () => setOpen(undefined);
  const shown = details.data ?? store;

  /** Shows the outcome, and reloads what may have changed. */
  async function settle(outcome: Outcome, done: string, fallback: string): Promise<boolean> {
    toastOutcome(outcome, done, fallback);
    if (outcome.success) {
      await Promise.all([
        client.invalidateQueries({ queryKey: ["store", store.id] }),
        client.invalidateQueries({ queryKey: storesQuery.queryKey }),
      ]);
    }
    return outcome.success;
  }
  async function saveCashback(fields: CashbackFields): Promise<boolean> {
    if (open?.kind === "edit-cashback") {
      const outcome = await updateCashback(store.id, open.cashback.id, fields);
      return settle(outcome, "Cashback atualizado com sucesso!", "Erro ao atualizar cashback.");
    }
    return settle(
      await addCashback(store.id, fields),
      "Cashback adicionado com sucesso!",
      "Erro ao adicionar cashback.",
    );
  }
  async function removeStore(): Promise<boolean> {
    const outcome = await deleteStore(store.id);
    toastOutcome(outcome, "Loja excluída com sucesso!", "Erro ao excluir loja.");
    if (!outcome.success) return false;
    onBack();
    await client.invalidateQueries({ queryKey: storesQuery.queryKey });
    return true;
  }
  async function removeCashback(cashback: StoreCashback): Promise<boolean> {
    const outcome = await deleteCashback(store.id, cashback.id);
    return settle(outcome, "Cashback excluído com sucesso!", "Erro ao excluir cashback.");
  }
  return (
    <div className="grid gap-6">
      <div className="section-head">
        <h2 ref={heading} tabIndex={-1} className="section-title">
          {shown.name}
        </h2>
        <div className="admin-list-actions">
          <button type="button" className="button button-small button-quiet" onClick={onBack}>
            Voltar à lista
          </button>
          <button type="button" className="button button-small button-quiet" onClick={() => setOpen({ kind: "edit" })}>
            Editar loja
          </button>
          <button
            type="button"
            className="button button-small button-quiet"
            onClick={() => setOpen({ kind: "delete" })}
          >
            Excluir loja
          </button>
        </div>
      </div>
      <dl className="facts">
        {[
          ["País", shown.country],
          ["Clube", shown.club],
          ["Categoria", shown.category],
          ["Cashback", percentRange(shown.minCashback, shown.maxCashback)],
          ["Link de afiliado", shown.affiliateLink],
          ["Descrição", shown.description],
        ].map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value || "–"}</dd>
          </div>
        ))}
      </dl>
      <div>
        <div className="section-head">
          <h3 className="card-title">Categorias de cashback</h3>
          <button type="button" className="button button-small" onClick={() => setOpen({ kind: "add" })}>
            Adicionar cashback
          </button>
        </div>
        {details.isPending ? (
          <Skeletons count={2} className="h-14" />
        ) : isError && !details.data ? (
          <RetryPanel
            title="Não foi possível carregar os cashbacks da loja."
            error={details.error}
            onRetry={() => details.refetch()}
            isRetrying={details.isFetching}
          />
        ) : shown.cashbacks.length === 0 ? (
          <p className="muted">Nenhuma categoria ainda. Sem categoria, a loja não rende cashback.</p>
        ) : (
          <ul className="admin-list">
            {shown.cashbacks.map((one) => (
              <li key={one.id}>
                <div className="admin-list-text">
                  <h4 className="font-semibold">{one.category}</h4>
                </div>
                <span className="figures font-semibold">{percent(one.percent)}</span>
                <div className="admin-list-actions">
                  <button
                    type="button"
                    className="button button-small button-quiet"
                    onClick={() => setOpen({ kind: "edit-cashback", cashback: one })}
                  >
                    Editar<span className="sr-only"> – {one.category}</span>
                  </button>
                  <button
                    type="button"
                    className="button button-small button-quiet"
                    onClick={() => setOpen({ kind: "delete-cashback", cashback: one })}
                  >
                    Excluir<span className="sr-only"> – {one.category}</span>
                  </button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </div>
      {open?.kind === "edit" && (
        <StoreDialog
          title="Editar loja"
          action="Salvar alterações"
          initial={fieldsOf(shown)}
          onClose={close}
          onSubmit={async (fields) =>
            settle(
              await updateStore(store.id, fieldsOf(shown), fields),
              "Loja atualizada com sucesso!",
              "Erro ao atualizar loja.",
            )
          }
        />
      )}
      {open?.kind === "delete" && (
        <ConfirmDialog
          title={`Excluir ${shown.name}?`}
          text="Tem certeza que deseja excluir esta loja? Esta ação não pode ser desfeita."
          onConfirm={removeStore}
          onClose={close}
        />
      )}
      {(open?.kind === "add" || open?.kind === "edit-cashback") && (
        <CashbackDialog
          initial={
            open.kind === "edit-cashback"
              ? { category: open.cashback.category, cashback_percent: open.cashback.percent }
              : undefined
          }
          onClose={close}
          onSubmit={saveCashback}
        />
      )}
      {open?.kind === "delete-cashback" && (
        <ConfirmDialog
          title={`Excluir o cashback ${open.cashback.category}?`}
          text="Tem certeza que deseja excluir esta categoria de cashback? Esta ação não pode ser desfeita."
          onConfirm={() => removeCashback(open.cashback)}
          onClose={close}
        />
      )}
    </div>
  );
}
