import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FormattedMessage } from "react-intl";
import { configQuery } from "../api/queries.ts";
import { paths } from "../app/paths.ts";

/** A transaction in the chain's explorer, otherwise on our own page, in a new tab. */
export function ExplorerLink({ hash, children }: { hash: string; children: ReactNode }) {
  const { explorer_url } = useQuery(configQuery).data;
  if (!hash) return null;
  const href = explorer_url ? `${explorer_url}/tx/${hash}` : paths.transaction(hash);
  return (
    <a className="link" href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span className="sr-only">
        {" "}
        <FormattedMessage id="common.newTab" />
      </span>
    </a>
  );
}
