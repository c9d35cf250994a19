import { Dialog, type DialogProps } from "../ui/dialog.tsx";

/** Details of a row, next to its list; full screen on a phone. Escape closes it. */
export function Sheet(props: Omit<DialogProps, "look" | "lang">) {
  return <Dialog look="sheet" lang="pt-BR" {...props} />;
}
