import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Barcode, Stamp, Ticket } from "./ticket.tsx";

const SAMPLES = [
  { id: "1", store: "Mercado da Bola", value: 100, percent: 4, status: "confirmed" },
  { id: "2", store: "Verdão Store", value: 250, percent: 7, status: "pending" },
] as const;

/** Two labelled sample tickets for visitors without a profile. docs/product.md#samples. */
export function SampleTickets() {
  const t = useText();
  const { brl, percent } = useFormat();
  return (
    <section className="sample-tickets" aria-label={t("samples.title")}>
      <p className="muted">{t("samples.title")}</p>
      <ul className="ticket-grid">
        {SAMPLES.map((sample) => (
          <li key={sample.id}>
            <Ticket
              tone={sample.status}
              kicker={t("samples.kicker")}
              title={sample.store}
              fields={[
                { label: t("ticket.cashback"), value: percent(sample.percent), isMain: true },
                { label: t("ticket.value"), value: brl(sample.value) },
              ]}
              stamp={<Stamp kind={sample.status}>{t(`status.${sample.status}`)}</Stamp>}
              stub={
                <>
                  <span className="stub-text">{PRODUCT_NAME}</span>
                  <Barcode />
                </>
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
