import { useQuery } from "@tanstack/react-query";
import { useFormat } from "../../i18n/use-format.ts";
import { getNetworks } from "../admin-calls.ts";
import { networkName } from "../words.ts";

/** What the networks sent that could not be read; nothing if there is none. docs/product.md#sales-unread */
export function FromNetworks() {
  const { dateTime } = useFormat();
  const { data } = useQuery({ queryKey: ["own", "networks"], queryFn: ({ signal }) => getNetworks(signal) });
  if (!data || data.unread_rows.length === 0) return null;
  return (
    <section aria-labelledby="unread-rows" className="grid gap-3">
      <h2 id="unread-rows" className="section-title">
        Linhas das redes que não foram lidas
      </h2>
      <p className="muted">As outras vendas seguem. Cada linha é pedida de novo à rede, cada vez com mais intervalo.</p>
      <ul className="grid gap-3">
        {data.unread_rows.map((row) => (
          <li key={`${row.network} ${row.account} ${row.text}`}>
            <strong>
              {networkName(row.network)} ({row.account})
            </strong>
            {row.sale_key && <> · venda {row.sale_key}</>} · desde {dateTime(row.first_at)}
            <details>
              <summary>{row.problem}</summary>
              <pre className="whitespace-pre-wrap break-all">{row.text}</pre>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
