import type { KeyboardEvent, ReactNode } from "react";
import { Link } from "react-router";

type LinkButtonProps = { to: string; children: ReactNode; className?: string; lang?: string };

/**
 * What the specification calls a button and leads to another page: said and pressed as a button (Space too), and still
 * an address that can be opened in another tab.
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
