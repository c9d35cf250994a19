import { useState } from "react";
import type { StoreCashback } from "../../../domain/api/catalogue.ts";
import { useFormat } from "../../i18n/use-format.ts";
import {
  addCashback,
  type CashbackFields,
  changesOf,
  deleteCashback,
  type Outcome,
  updateCashback,
} from "../admin-calls.ts";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import type { StoreWithCategories } from "../shapes.ts";
import { CashbackDialog } from "./cashback-dialog.tsx";

type Open = { kind: "add" } | { kind: "edit" | "delete"; cashback: StoreCashback };
type Settle = (outcome: Outcome, done: string, fallback: string) => Promise<Outcome>;

const fieldsOf = (cashback: StoreCashback): CashbackFields => ({
  category: cashback.category,
  category_en: cashback.category_en ?? "",
  cashback_percent: cashback.cashback_percent,
  group_code: cashback.group_code ?? "",
  is_default: cashback.is_default ?? false,
});

/** A store's categories with their percents. docs/product.md#store-category. */
export function StoreCategories({ store, settle }: { store: StoreWithCategories; settle: Settle }) {
  const { percent } = useFormat();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const id = String(store.id);

  async function save(fields: CashbackFields): Promise<boolean> {
    if (open?.kind === "edit") {
      const { category, cashback_percent, ...others } = fields;
      const change = { category, cashback_percent, ...changesOf(fieldsOf(open.cashback), others) };
      const outcome = await updateCashback(id, String(open.cashback.id), change);
      return (await settle(outcome, "Cashback atualizado com sucesso!", "Erro ao atualizar cashback.")).success;
    }
    const outcome = await addCashback(id, fields);
    return (await settle(outcome, "Cashback adicionado com sucesso!", "Erro ao adicionar cashback.")).success;
  }
  async function remove(cashback: StoreCashback): Promise<boolean> {
    const outcome = await deleteCashback(id, String(cashback.id));
    return (await settle(outcome, "Cashback excluído com sucesso!", "Erro ao excluir cashback.")).success;
  }
  return (
    <div>
      <div className="section-head">
        <h3 className="card-title">Categorias de cashback</h3>
        <PermittedButton
          permission="catalogue"
          className="button button-small"
          onClick={() => setOpen({ kind: "add" })}
        >
          Adicionar cashback
        </PermittedButton>
      </div>
      {store.cashbacks.length === 0 ? (
        <p className="muted">Nenhuma categoria ainda. Sem categoria, a loja não rende cashback.</p>
      ) : (
        <ul className="admin-list">
          {store.cashbacks.map((one) => (
            <li key={one.id}>
              <div className="admin-list-text">
                <h4 className="font-semibold">{one.category}</h4>
                {(one.category_en || one.group_code || one.is_default) && (
                  <p className="row-note">
                    {[
                      one.category_en && `Em inglês: ${one.category_en}`,
                      one.group_code && `Grupo ${one.group_code}`,
                      one.is_default && "Categoria padrão",
                    ]
                      .filter(Boolean)
                      .join(" · ")}
                  </p>
                )}
              </div>
              <span className="figures font-semibold">{percent(one.cashback_percent)}</span>
              <div className="admin-list-actions">
                <PermittedButton permission="catalogue" onClick={() => setOpen({ kind: "edit", cashback: one })}>
                  Editar<span className="sr-only"> – {one.category}</span>
                </PermittedButton>
                <PermittedButton permission="catalogue" onClick={() => setOpen({ kind: "delete", cashback: one })}>
                  Excluir<span className="sr-only"> – {one.category}</span>
                </PermittedButton>
              </div>
            </li>
          ))}
        </ul>
      )}
      {(open?.kind === "add" || open?.kind === "edit") && (
        <CashbackDialog
          initial={open.kind === "edit" ? fieldsOf(open.cashback) : undefined}
          onClose={close}
          onSubmit={save}
        />
      )}
      {open?.kind === "delete" && (
        <ConfirmDialog
          title={`Excluir o cashback ${open.cashback.category}?`}
          text="Tem certeza que deseja excluir esta categoria de cashback? Esta ação não pode ser desfeita."
          onConfirm={() => remove(open.cashback)}
          onClose={close}
        />
      )}
    </div>
  );
}
