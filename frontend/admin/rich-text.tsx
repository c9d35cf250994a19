import { Children, type ReactNode } from "react";
import { piecesOf, type TextId } from "./texts.ts";

type Element = (children: ReactNode) => ReactNode;

/** What a text may mark by itself. */
const MARKS: Readonly<Record<string, Element>> = {
  code: (children) => <code>{children}</code>,
  strong: (children) => <strong>{children}</strong>,
};

/** A text of the panel with elements as its values, or around its parts. */
export function RichText({ id, ...values }: { id: TextId } & Readonly<Record<string, ReactNode | Element>>) {
  return Children.toArray(piecesOf(id, { ...MARKS, ...values } as Parameters<typeof piecesOf>[1]) as ReactNode);
}
