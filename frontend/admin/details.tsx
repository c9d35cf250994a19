import type { ReactNode } from "react";
import { Dialog, type DialogProps } from "../ui/dialog.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { panelLocale, t } from "./texts.ts";

type DetailsProps<T> = {
  title: string;
  query: { data: T | undefined; isPending: boolean; isFetching: boolean; error: Error | null; refetch: () => unknown };
  onClose: () => void;
  children: (data: T) => ReactNode;
};

/** The sheet of a row while its details are loading. */
export function Details<T>({ title, query, onClose, children }: DetailsProps<T>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <Sheet title={title} onClose={onClose}>
      {query.isPending ? (
        <div className="grid gap-3" aria-busy="true">
          <Skeletons count={5} className="h-12" />
        </div>
      ) : (
        <RetryPanel title={t("details.failed")} query={query} />
      )}
    </Sheet>
  );
}

/** Details of a row, next to its list; full screen on a phone. Escape closes it. */
export function Sheet(props: Omit<DialogProps, "look" | "lang">) {
  return <Dialog look="sheet" lang={panelLocale()} {...props} />;
}
