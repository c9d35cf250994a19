import type { UseQueryResult } from "@tanstack/react-query";
import { ApiError } from "../../api/http.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { WalletName } from "../facts.tsx";
import { refusalOf } from "../refusals.ts";
import type { Preview } from "../shapes.ts";
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
        Vendo o que isto muda...
      </p>
    );
  }
  if (!data) return null;
  if (data.refused !== null) return <Refused refused={data.refused} why={data.why} />;
  const { changes, purchases = [] } = data;
  return (
    <section aria-label="O que isto muda">
      <h3 className="card-title">O que isto muda</h3>
      {changes.length + purchases.length === 0 ? (
        <p>
          <span>Nenhuma outra venda, dívida ou pagamento.</span>
        </p>
      ) : (
        <ul className="plain-rows">
          {purchases.map((id) => (
            <li key={`purchase ${id}`}>Também a compra nº {id}, da mesma venda, segue</li>
          ))}
          {changes.map((change) => (
            <SaleChange key={change.sale_id} change={change} decided={saleId} />
          ))}
        </ul>
      )}
      {data.second_person && (
        <p className="hint">
          <span>Passa do que uma pessoa libera sozinha por dia: o pagamento espera outra aprovar.</span>
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
  return (
    <li>
      <strong>
        {decided === sale_id ? "Esta venda" : decided === undefined ? "Venda" : "Também a venda"} nº {sale_id}
      </strong>
      {isMoved && (
        <span>
          : de {wordOf(SALE_WORDS, was).label.toLowerCase()} para {wordOf(SALE_WORDS, state).label.toLowerCase()}
        </span>
      )}
      {Number(change.adds) > 0 && (
        <span className="block">
          {brl(change.adds)} a mais de cashback, hoje {chz(change.adds_chz)}, para <Buyer wallet={wallet} />
        </span>
      )}
      {change.is_sooner && (
        <span className="block">
          O pagamento a <Buyer wallet={wallet} /> sai antes
        </span>
      )}
      {Number(change.debt_lifted) > 0 && (
        <span className="block">
          Acaba a dívida de {chz(change.debt_lifted)} de <Buyer wallet={wallet} />
        </span>
      )}
      {Number(change.debt_added) > 0 && (
        <span className="block">
          <Buyer wallet={wallet} /> passa a dever {chz(change.debt_added)}
        </span>
      )}
    </li>
  );
}

function Buyer({ wallet }: { wallet: string | null }) {
  return wallet === null ? <span>quem comprou</span> : <WalletName address={wallet} />;
}
