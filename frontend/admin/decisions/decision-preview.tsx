import type { UseQueryResult } from "@tanstack/react-query";
import { ApiError } from "../../api/http.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { WalletName } from "../facts.tsx";
import style from "../panel.module.css";
import { refusalOf } from "../refusals.ts";
import { RichText } from "../rich-text.tsx";
import type { Preview } from "../shapes.ts";
import { t } from "../texts.ts";
import { SALE_WORDS, wordOf } from "../words.ts";

type Change = Preview["changes"][number];

/**
 * What a decision will also change, before it is made: the order's other half, debts, and to whom how much. `saleId`: the
 * sale that it names. Nothing is shown of a server that tells none. docs/product.md#decision-preview
 */
export function DecisionPreview({ preview, saleId }: { preview: UseQueryResult<Preview | null>; saleId?: number }) {
  const { data, isLoading } = preview;
  if (isLoading) {
    return (
      <p className="hint" role="status">
        {t("preview.loading")}
      </p>
    );
  }
  if (!data) return null;
  if (data.refused !== null) return <Refused refused={data.refused} why={data.why} />;
  const { changes, purchases = [] } = data;
  return (
    <section aria-label={t("preview.title")}>
      <h3 className="card-title">{t("preview.title")}</h3>
      {changes.length + purchases.length === 0 ? (
        <p>
          <span>{t("preview.nothing")}</span>
        </p>
      ) : (
        <ul className={style.plainRows}>
          {purchases.map((id) => (
            <li key={`purchase ${id}`}>{t("preview.purchase", { id })}</li>
          ))}
          {changes.map((change) => (
            <SaleChange key={change.sale_id} change={change} decided={saleId} />
          ))}
        </ul>
      )}
      {data.second_person && (
        <p className="hint">
          <span>{t("preview.secondPerson")}</span>
        </p>
      )}
    </section>
  );
}

function Refused({ refused, why }: Pick<Preview, "why"> & { refused: NonNullable<Preview["refused"]> }) {
  const error = new ApiError(refused, 409, { code: refused, ...(why !== null && { why }) });
  return (
    <p className="problem" role="status">
      <span>{refusalOf(error)}</span>
    </p>
  );
}

function SaleChange({ change, decided }: { change: Change; decided: number | undefined }) {
  const { brl, chz } = useFormat();
  const { sale_id, was, state, wallet } = change;
  const isMoved = was !== state;
  const which = decided === sale_id ? "this" : decided === undefined ? "one" : "also";
  const name = <strong>{t(`preview.sale.${which}`, { id: sale_id })}</strong>;
  return (
    <li>
      {isMoved ? (
        <RichText
          id="preview.moved"
          sale={name}
          was={wordOf(SALE_WORDS, was).label.toLowerCase()}
          state={wordOf(SALE_WORDS, state).label.toLowerCase()}
        />
      ) : (
        name
      )}
      {Number(change.adds) > 0 && (
        <span className="block">
          <RichText
            id="preview.adds"
            amount={brl(change.adds)}
            chz={chz(change.adds_chz)}
            buyer={<Buyer wallet={wallet} />}
          />
        </span>
      )}
      {change.is_sooner && (
        <span className="block">
          <RichText id="preview.sooner" buyer={<Buyer wallet={wallet} />} />
        </span>
      )}
      {Number(change.debt_lifted) > 0 && (
        <span className="block">
          <RichText id="preview.debtLifted" debt={chz(change.debt_lifted)} buyer={<Buyer wallet={wallet} />} />
        </span>
      )}
      {Number(change.debt_added) > 0 && (
        <span className="block">
          <RichText id="preview.debtAdded" debt={chz(change.debt_added)} buyer={<Buyer wallet={wallet} />} />
        </span>
      )}
    </li>
  );
}

function Buyer({ wallet }: { wallet: string | null }) {
  return wallet === null ? <span>{t("preview.buyer")}</span> : <WalletName address={wallet} />;
}
