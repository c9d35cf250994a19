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

const fieldsOf = (cashback: StoreCashback): CashbackFields => ({
  category: cashback.category,
  category_en: cashback.category_en ?? "",
  cashback_percent: cashback.cashback_percent,
  group_code: cashback.group_code ?? "",
  is_default: cashback.is_default ?? false,
});

/** A store's categories with their percents. docs/product.md#store-category. */
export function StoreCategories({ store, reload }: { store: StoreWithCategories; reload: () => Promise<unknown> }) {
  const { percent } = useFormat();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const id = String(store.id);

  function change(before: StoreCashback, fields: CashbackFields): Promise<Outcome> {
    const { category, cashback_percent, ...others } = fields;
    const changed = { category, cashback_percent, ...changesOf(fieldsOf(before), others) };
    return updateCashback(id, String(before.id), changed);
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
      {open?.kind === "add" && (
        <CashbackDialog
          id={`of store ${id}`}
          initial={undefined}
          request={(fields) => addCashback(id, fields)}
          done="Cashback adicionado com sucesso!"
          failed="Erro ao adicionar cashback."
          reload={reload}
          onClose={close}
        />
      )}
      {open?.kind === "edit" && (
        <CashbackDialog
          id={String(open.cashback.id)}
          initial={fieldsOf(open.cashback)}
          request={(fields) => change(open.cashback, fields)}
          done="Cashback atualizado com sucesso!"
          failed="Erro ao atualizar cashback."
          reload={reload}
          onClose={close}
        />
      )}
      {open?.kind === "delete" && (
        <ConfirmDialog
          title={`Excluir o cashback ${open.cashback.category}?`}
          text="Tem certeza que deseja excluir esta categoria de cashback? Esta ação não pode ser desfeita."
          request={() => deleteCashback(id, String(open.cashback.id))}
          done="Cashback excluído com sucesso!"
          failed="Erro ao excluir cashback."
          reload={reload}
          onClose={close}
        />
      )}
    </div>
  );
}
