import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { configQuery } from "../api/queries.ts";
import { useText } from "../i18n/language.tsx";
import { targetChain } from "../wallet/config.ts";

/** A transaction at the chain's explorer, in a new tab. */
export function ExplorerLink({ hash, children }: { hash: string; children: ReactNode }) {
  const t = useText();
  const { explorer_url, network } = useQuery(configQuery).data;
  const explorer = explorer_url ?? targetChain.blockExplorers?.default.url;
  if (!hash || !explorer) return null;
  return (
    <>
      <a className="link" href={`${explorer}/tx/${hash}`} target="_blank" rel="noopener noreferrer">
        {children}
        <span className="sr-only"> {t("common.newTab")}</span>
      </a>
      {network === "localhost" && <span className="muted text-sm"> {t("nft.explorer.local")}</span>}
    </>
  );
}
