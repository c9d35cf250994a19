import type { CSSProperties } from "react";
import { useClubOf } from "../club/use-clubs.ts";
import style from "./no-drawing.module.css";
import { BlankTicket } from "./ticket.tsx";

type NoDrawingProps = {
  /** Of the ticket's store: the place has its colours, or without one that is known those of the page. */
  club?: string | null | undefined;
  children: string;
};

/** The place of a ticket's picture where there is none, as large as the picture would be. */
export function NoDrawing({ club, children }: NoDrawingProps) {
  const look = useClubOf(club ?? undefined);
  const colours = look && ({ "--accent": look.ground, "--on-accent": look.ink } as CSSProperties);
  return (
    <span className={style.place} style={colours}>
      <BlankTicket />
      {children}
    </span>
  );
}
