import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CATEGORY_TRANSLATIONS } from "../../../core/rules/api/catalogue.ts";
import type { BonusProgram } from "../../../core/rules/bonus.ts";
import { OTHER_LANGUAGES } from "../../../core/rules/languages.ts";
import { percentText } from "../../../core/rules/money.ts";
import { recordOf } from "../../../core/rules/records.ts";
import { WITHOUT_COMMISSION } from "../../../core/rules/sale/value.ts";
import { configQuery } from "../../api/queries.ts";
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
import style from "../list/admin-list.module.css";
import type { StoreWithCategories } from "../shapes.ts";
import { t } from "../texts.ts";
import { capitalized, inLanguage } from "../words.ts";
import { CashbackDialog } from "./cashback-dialog.tsx";
import { bpsOf, type Covering, PercentNotice, raisedTo, uncovered } from "./percent-notice.tsx";

type Category = StoreWithCategories["cashbacks"][number];
export type OpenCategory = { kind: "add" } | { kind: "edit" | "delete"; cashback: Category };

const fieldsOf = (cashback: Category): CashbackFields => ({
  category: cashback.category,
  ...recordOf(CATEGORY_TRANSLATIONS, (name) => cashback[name] ?? ""),
  // What an admin set: a boost passes by itself.
  cashback_percent: cashback.boost?.plain_percent ?? cashback.cashback_percent,
  group_code: cashback.group_code ?? "",
  is_default: cashback.is_default ?? false,
  is_by_hand: cashback.is_by_hand ?? true,
  cashback_share_percent: String(cashback.cashback_share_percent ?? ""),
});

/** A store's categories with their percents. docs/product.md#store-category. */
export function StoreCategories({ store, reload }: { store: StoreWithCategories; reload: () => Promise<unknown> }) {
  const [open, setOpen] = useState<OpenCategory>();
  return (
    <div>
      <div className="section-head">
        <h3 className="card-title">{t("categories.title")}</h3>
        <PermittedButton
          permission="catalogue"
          className="button button-small"
          onClick={() => setOpen({ kind: "add" })}
        >
          {t("category.add")}
        </PermittedButton>
      </div>
      {store.cashbacks.length === 0 ? (
        <p className="muted">{t("categories.none")}</p>
      ) : (
        <ul className={style.cards}>
          {store.cashbacks.map((one) => (
            <li key={one.id}>
              <CategoryFacts category={one} club={store.club || store.club_slug} />
              <div className="buttons">
                <PermittedButton permission="catalogue" onClick={() => setOpen({ kind: "edit", cashback: one })}>
                  {t("edit")}
                  <span className="sr-only"> – {one.category}</span>
                </PermittedButton>
                <PermittedButton permission="catalogue" onClick={() => setOpen({ kind: "delete", cashback: one })}>
                  {t("delete")}
                  <span className="sr-only"> – {one.category}</span>
                </PermittedButton>
              </div>
            </li>
          ))}
        </ul>
      )}
      {open && <CategoryDialog store={store} open={open} reload={reload} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

function CategoryFacts({ category, club }: { category: Category } & Pick<Covering, "club">) {
  const { percent } = useFormat();
  const program = useQuery(configQuery).data.bonus_program;
  const notes = [
    ...OTHER_LANGUAGES.map((one) => {
      const name = category[`category_${one}`];
      return name && t("category.inLanguage", { language: capitalized(inLanguage(one)), name });
    }),
    category.group_code && t("category.group", { group: category.group_code }),
    category.is_default && t("category.default"),
    category.is_unpaid && t("category.unpaid"),
    ...followNotes(category, { percent, club, program }),
    category.boost && t("category.boosted", { percent: percent(category.boost.plain_percent) }),
  ].filter(Boolean);
  return (
    <>
      <div className={style.text}>
        <h4 className="font-semibold">{category.category}</h4>
        {notes.length > 0 && <p className={style.note}>{notes.join(" · ")}</p>}
      </div>
      <span className="figures font-semibold">{percent(category.cashback_percent)}</span>
    </>
  );
}

/** How a percent stands to what the network pays. docs/product.md#followed-percent */
function followNotes(
  category: Category,
  { percent, club, program }: { percent: (text: string) => string; program: BonusProgram } & Pick<Covering, "club">,
): string[] {
  const { is_by_hand, commission_percent: paid, is_group_gone, boost, cashback_percent } = category;
  const commission = paid == null ? undefined : percent(paid);
  const shown = bpsOf(boost?.plain_percent ?? cashback_percent);
  const found = uncovered({ bps: shown, commission: paid, club }, program);
  return [
    ...(is_by_hand === false
      ? [commission === undefined ? t("category.follows.unknown") : t("category.follows", { commission })]
      : []),
    ...(is_by_hand !== false && commission !== undefined
      ? [t(found?.cover === "less" ? "category.uncovered" : "category.commission", { commission })]
      : []),
    ...(found?.cover === "percent" && commission !== undefined
      ? [t("category.bonusUncovered", { commission, bonus: percent(percentText(found.bonusBps)) })]
      : []),
    ...(is_group_gone ? [t("category.groupGone")] : []),
  ];
}

type CategoryDialogProps = {
  store: StoreWithCategories;
  open: OpenCategory;
  reload: () => Promise<unknown>;
  onClose: () => void;
};

export function CategoryDialog({ store, open, reload, onClose }: CategoryDialogProps) {
  const storeId = String(store.id);
  switch (open.kind) {
    case "add":
      return (
        <CashbackDialog
          id={`of store ${storeId}`}
          initial={undefined}
          raises={(fields) => bpsOf(fields.cashback_percent)}
          isFreeAtFirst={store.network !== WITHOUT_COMMISSION}
          request={(fields) => addCashback(storeId, fields)}
          done={t("category.add.done")}
          failed={t("category.add.failed")}
          reload={reload}
          onClose={onClose}
        />
      );
    case "edit":
      return (
        <CashbackDialog
          id={String(open.cashback.id)}
          initial={fieldsOf(open.cashback)}
          raises={(fields) => raisedTo(store.cashbacks, open.cashback.id, fields)}
          covered={{ commission: open.cashback.commission_percent, club: store.club || store.club_slug }}
          request={(fields) => change(storeId, open.cashback, fields)}
          done={t("category.edit.done")}
          failed={t("category.edit.failed")}
          reload={reload}
          onClose={onClose}
        />
      );
    case "delete":
      return (
        <ConfirmDialog
          title={t("category.delete.title", { category: open.cashback.category })}
          text={t("category.delete.text")}
          request={() => deleteCashback(storeId, String(open.cashback.id))}
          done={t("category.delete.done")}
          failed={t("category.delete.failed")}
          reload={reload}
          onClose={onClose}
        >
          <PercentNotice bps={raisedTo(store.cashbacks, open.cashback.id, "deleted")} />
        </ConfirmDialog>
      );
  }
}

function change(storeId: string, before: Category, fields: CashbackFields): Promise<Outcome> {
  const { category, cashback_percent, ...others } = fields;
  const changed = { category, cashback_percent, ...changesOf(fieldsOf(before), others) };
  return updateCashback(storeId, String(before.id), changed);
}
