import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { featuredStoresQuery } from "../api/queries.ts";
import { useText } from "../i18n/language.tsx";
import { SampleTicket } from "./sample-ticket.tsx";
import style from "./sample-tickets.module.css";

const SAMPLES = [
  { store: "Mercado da Bola", value: 100, status: "confirmed" },
  { store: "Verdão Store", value: 250, status: "pending" },
] as const;

/**
 * Two labelled sample tickets for visitors without a profile, of featured stores with what they promise; without these,
 * no percent is said. docs/product.md#samples
 */
export function SampleTickets({ children }: { children?: ReactNode }) {
  const t = useText();
  const stores = useQuery(featuredStoresQuery).data?.stores ?? [];
  return (
    <section className={style.samples} aria-label={t("samples.title")}>
      <p className="muted">{t("samples.title")}</p>
      {children}
      <ul>
        {SAMPLES.map(({ store, value, status }, index) => (
          <li key={status}>
            <SampleTicket {...{ status, value }} name={stores[index]?.name ?? store} store={stores[index]} />
          </li>
        ))}
      </ul>
    </section>
  );
}
