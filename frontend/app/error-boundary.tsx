import { Component, type ReactNode, useEffect } from "react";
import { FormattedMessage } from "react-intl";
import { queryClient } from "../api/queries.ts";
import { reportFault } from "../api/report-fault.ts";
import { useText } from "../i18n/language.tsx";

type Props = {
  children: ReactNode;
  /** A new key, such as another page, tries again. */
  resetKey: string;
  /** The part of the page that it keeps from the rest, as the operator is told; without it, the whole page. */
  part?: string;
  /** Says that its code could not be fetched, where there is no place for that on the page. */
  onNotFetched?: (() => void) | undefined;
};
/** `offline`, `away`: the code of a part of the page could not be fetched. */
type Failure = "broken" | "offline" | "away";
type State = { failure: Failure | undefined };

/** As Chromium, Firefox and Safari say it. */
const NOT_FETCHED = /dynamically imported module|importing a module script|preload CSS/i;

/** A broken screen shows an error and a way to continue instead of a blank page. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failure: undefined };

  static getDerivedStateFromError(error: unknown): State {
    if (!(error instanceof Error && NOT_FETCHED.test(error.message))) return { failure: "broken" };
    return { failure: navigator.onLine ? "away" : "offline" };
  }

  override componentDidCatch(error: unknown): void {
    // Not its message, which may quote what the page shows.
    if (this.state.failure === "broken") {
      reportFault({ kind: "part", at: this.props.part ?? "page", detail: error instanceof Error ? error.name : "" });
    } else this.props.onNotFetched?.();
  }

  override componentDidUpdate(previous: Props): void {
    if (this.state.failure && previous.resetKey !== this.props.resetKey) this.tryAgain();
  }

  tryAgain(): void {
    // The answer that broke it would break it again, before another is asked for.
    queryClient.removeQueries({ type: "inactive" });
    this.setState({ failure: undefined });
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    if (failure !== "broken" && this.props.onNotFetched) return null;
    // What could not be fetched reloads the page, as the whole of it does.
    if (this.props.part === undefined || failure !== "broken") return <BrokenScreen failure={failure} />;
    return <BrokenPart retry={() => this.tryAgain()} />;
  }
}

const DETAILS = { broken: "error.detail", offline: "error.offline", away: "error.away" } as const;

function BrokenPart({ retry }: { retry: () => void }) {
  return (
    <section className="state-panel" role="alert">
      <p className="state-title">
        <FormattedMessage id="error.part" />
      </p>
      <p className="muted">
        <FormattedMessage id="error.part.detail" />
      </p>
      <button type="button" className="button" onClick={retry}>
        <FormattedMessage id="common.retry" />
      </button>
    </section>
  );
}

function BrokenScreen({ failure }: { failure: Failure }) {
  const t = useText();
  useEffect(() => {
    if (failure !== "offline") return;
    const reload = () => location.reload();
    addEventListener("online", reload);
    return () => removeEventListener("online", reload);
  }, [failure]);
  return (
    // Where it stands for a part, that may be far below.
    <section className="page state-panel" role="alert" ref={(own) => own?.scrollIntoView({ block: "nearest" })}>
      <h1 className="page-title">{t(failure === "broken" ? "error.title" : "error.notFetched")}</h1>
      <p className="muted">{t(DETAILS[failure])}</p>
      <div className="flex flex-wrap justify-center gap-3">
        <button type="button" className="button" onClick={() => location.reload()}>
          {t("error.reload")}
        </button>
        <a className="button button-quiet" href="/">
          {t("notFound.back")}
        </a>
      </div>
    </section>
  );
}
