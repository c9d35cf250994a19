import { useText } from "../i18n/language.tsx";

/** For who hears the buttons of many tickets. */
export function OfTicket({ id }: { id: string }) {
  const t = useText();
  return (
    <span className="sr-only">
      {" "}
      {t("ticket.number")} {id}
    </span>
  );
}
