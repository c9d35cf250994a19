import { type ComponentType, lazy, Suspense, useState } from "react";
import { ErrorBoundary } from "../app/error-boundary.tsx";
import { useText } from "../i18n/language.tsx";
import { loadToasts, toast } from "./toast.ts";

/**
 * A dialog whose code is fetched when it opens. If that fails, a toast says so and it counts as closed, or, without
 * toasts, its place on the page: the page, with what was typed there, stays.
 */
export function fetchedDialog<Props extends { onClose: () => void }>(
  load: () => Promise<{ default: ComponentType<Props> }>,
) {
  return function FetchedDialog(props: Props) {
    const t = useText();
    // Asked for again each time it opens.
    const [Opened] = useState(() => lazy(load as () => Promise<{ default: ComponentType<object> }>));
    const [isTold, setTold] = useState(true);
    const tell = () => {
      const action = { label: t("error.reload"), onClick: () => location.reload() };
      toast.error(t("error.part"), { id: "dialog", description: t("error.part.detail"), action });
      props.onClose();
    };
    const tellOrShow = () => void loadToasts().then(tell, () => setTold(false));
    return (
      <ErrorBoundary part="dialog" resetKey="" onNotFetched={isTold ? tellOrShow : undefined}>
        <Suspense>
          <Opened {...props} />
        </Suspense>
      </ErrorBoundary>
    );
  };
}
