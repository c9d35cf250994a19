import type { KeyboardEvent, ReactNode } from "react";
import { Link } from "react-router";

type LinkButtonProps = { to: string; children: ReactNode; className?: string; lang?: string };

/**
 * A button that leads to another page: it has the role of a button and reacts to Space, but remains
 * a link that can be opened in another tab.
 */
export function LinkButton({ to, children, className = "button", lang }: LinkButtonProps) {
  const press = (event: KeyboardEvent<HTMLAnchorElement>) => {
    if (event.key !== " ") return;
    event.preventDefault();
    event.currentTarget.click();
  };
  return (
    <Link to={to} role="button" className={className} lang={lang} onKeyDown={press}>
      {children}
    </Link>
  );
}
