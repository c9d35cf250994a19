import { useFormat } from "../../i18n/use-format.ts";
import type { Page } from "./definition.ts";
import type { ListAddress } from "./list-address.ts";
import { PAGE_ROWS } from "./list-calls.ts";

/** The total that means "more than this". */
const UNCOUNTED = 10_001;

type ListPagerProps = {
  page: Page<unknown>;
  noun: readonly [one: string, many: string];
  address: ListAddress;
  isBusy: boolean;
};

/** The range of rows, the total, and the buttons for other pages. */
export function ListPager({ page, noun, address, isBusy }: ListPagerProps) {
  const { integer } = useFormat();
  const { cursors, query, toPage } = address;
  const first = cursors.length * PAGE_ROWS + 1;
  const last = first + page.rows.length - 1;
  const total =
    page.total >= UNCOUNTED
      ? `mais de 10.000 ${noun[1]}`
      : `${integer(page.total)} ${page.total === 1 ? noun[0] : noun[1]}`;
  const next = page.next_before;
  const isWhole = cursors.length === 0 && next === null;
  // A page of a broad search can have fewer rows than the limit. docs/product.md#panel-lists.
  const isBroad = query !== "" && page.total >= UNCOUNTED;
  const range = isBroad
    ? `${integer(page.rows.length)} nesta página; a busca é ampla, e pode haver mais`
    : `${integer(first)}–${integer(last)} de ${total}`;
  return (
    <nav className="pager" aria-label="Páginas">
      <p className="figures muted" role="status">
        {isWhole ? total : range}
      </p>
      {!isWhole && (
        <div className="pager-buttons">
          <button
            type="button"
            className="button button-small button-quiet"
            disabled={cursors.length === 0 || isBusy}
            onClick={() => toPage(cursors.slice(0, -1))}
          >
            Anterior
          </button>
          <button
            type="button"
            className="button button-small button-quiet"
            disabled={next === null || isBusy}
            onClick={() => next !== null && toPage([...cursors, String(next)])}
          >
            Próxima
          </button>
        </div>
      )}
    </nav>
  );
}
