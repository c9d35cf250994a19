import type { ReactNode } from "react";
import style from "./list/admin-list.module.css";
import { capitalized } from "./words.ts";

/** A column: its header, and its cell of a row; a dash for null. */
export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  isFigure?: boolean;
  /** Draws the cell as something bad. */
  isBad?: (row: Row) => boolean;
};

type PlainTableProps<Row> = {
  caption: string;
  /** The header of the rows' names. */
  noun: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  nameOf: (row: Row) => ReactNode;
  columns: readonly Column<Row>[];
};

/** A table to read, without pages, actions or details; on a phone each row is a card. */
export function PlainTable<Row>({ caption, noun, rows, keyOf, nameOf, columns }: PlainTableProps<Row>) {
  return (
    <div className={style.table}>
      <table>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{capitalized(noun)}</th>
            <ColumnHeaders columns={columns} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{nameOf(row)}</th>
              <Cells columns={columns} row={row} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function ColumnHeaders<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return columns.map(({ header, isFigure }) => (
    <th key={header} scope="col" className={isFigure ? "numeric" : undefined}>
      {header}
    </th>
  ));
}

export function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return columns.map(({ header, cell, isFigure, isBad }) => (
    <td
      key={header}
      data-label={header}
      className={isFigure ? "numeric figures" : undefined}
      data-tone={isBad?.(row) ? "bad" : undefined}
    >
      {cell(row) ?? <span className="muted">–</span>}
    </td>
  ));
}
