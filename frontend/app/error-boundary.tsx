import { Component, type ReactNode } from "react";
import { useText } from "../i18n/language.tsx";

type Props = { children: ReactNode /** A new key, such as another page, tries again. */; resetKey: string };
type State = { failedAt: string | undefined };

/** A broken screen shows an error and a way to continue instead of a blank page. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failedAt: undefined };

  static getDerivedStateFromError(): State {
    return { failedAt: "unknown" };
  }

  override componentDidUpdate(previous: Props): void {
    if (this.state.failedAt && previous.resetKey !== this.props.resetKey) this.setState({ failedAt: undefined });
  }

  override render(): ReactNode {
    return this.state.failedAt ? <BrokenScreen /> : this.props.children;
  }
}

function BrokenScreen() {
  const t = useText();
  return (
    <section className="page state-panel" role="alert">
      <h1 className="page-title">{t("error.title")}</h1>
      <p className="muted">{t("error.detail")}</p>
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
