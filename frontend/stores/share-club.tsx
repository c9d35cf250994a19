import { useState } from "react";
import { paths } from "../app/paths.ts";
import { useLanguage, useText } from "../i18n/language.tsx";
import { sharePicture } from "../ui/share-picture.ts";
import { toast } from "../ui/toast.ts";
import { useCopy } from "../ui/use-copy.ts";

/** A club's picture and link for other fans: by the phone's own share sheet, or as a file. docs/product.md#club-page */
export function ShareClub({ slug, name }: { slug: string; name: string }) {
  const t = useText();
  const { language } = useLanguage();
  const [isFetching, setFetching] = useState(false);
  const url = location.origin + paths.club(slug);
  const copy = useCopy("share.copied", "share.notCopied");
  const share = async () => {
    setFetching(true);
    try {
      const response = await fetch(`/share/club/${slug}/${language}.png`);
      if (!response.ok) throw new Error(`The club's picture was answered with ${response.status}`);
      const text = `${t("clubPage.share.text", { club: name })} ${url}`;
      await sharePicture(await response.blob(), slug, { title: name, text });
    } catch {
      toast.error(t("share.picture.failed"), { id: "share-picture", description: t("share.picture.failed.hint") });
    } finally {
      setFetching(false);
    }
  };
  return (
    <>
      <button
        type="button"
        className="button button-signal"
        aria-busy={isFetching}
        onClick={() => !isFetching && share()}
      >
        {t("clubPage.share")}
      </button>
      <button type="button" className="button button-chalk" onClick={() => copy(url)}>
        {t("share.copy")}
      </button>
    </>
  );
}
