import { useState } from "react";
import { useText } from "../i18n/language.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { useClub } from "./club.ts";
import { useClubColours } from "./use-clubs.ts";

const ClubDialog = fetchedDialog(() => import("./club-dialog.tsx"));

/**
 * The user's club in the header, and the button to change it. Its name says "time", not "clube", because that word is
 * the label of the stores' filter.
 */
export function ClubButton() {
  const t = useText();
  const club = useClub();
  useClubColours();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="club-button"
        aria-label={club ? t("club.change", { club }) : t("club.button")}
        onClick={() => setOpen(true)}
      >
        <svg aria-hidden="true" width="22" height="22" viewBox="0 0 64 64" fill="none" stroke="currentColor">
          <path
            d="M20 8l-14 8 5 14 7-3v29h28V27l7 3 5-14-14-8c-3 6-21 6-24 0z"
            fill={club ? "var(--accent)" : "none"}
            strokeWidth="5"
          />
        </svg>
        <span aria-hidden="true" className="club-button-word">
          {t("club.word")}
        </span>
      </button>
      {isOpen && <ClubDialog onClose={() => setOpen(false)} />}
    </>
  );
}
