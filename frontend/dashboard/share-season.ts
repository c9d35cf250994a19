import type { Translate } from "../i18n/language.tsx";
import { sharePicture } from "../ui/share-picture.ts";
import { drawSeasonPicture } from "../ui/ticket-picture.ts";
import type { Entry } from "./statement.ts";

/** Gives a picture of the year's last tickets to a friend. docs/product.md#album @throws if none of them can be drawn */
export async function shareSeason(entries: readonly Entry[], year: number, t: Translate): Promise<void> {
  const tickets = entries.filter(
    ({ date, nft, status }) => nft && status !== "cancelled" && new Date(date).getFullYear() === year,
  );
  const title = t("album.season", { year: String(year) });
  const headline = t("album.count", { count: tickets.length });
  const ids = tickets.map(({ id }) => id);
  const picture = await drawSeasonPicture(ids, { kicker: title, headline, link: location.host });
  await sharePicture(picture, String(year), { title, text: location.origin });
}
