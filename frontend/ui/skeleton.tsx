import { useText } from "../i18n/language.tsx";

/** Placeholders for content that is loading; screen readers announce them once. */
export function Skeletons({ count, className }: { count: number; className: string }) {
  const t = useText();
  return (
    <>
      <span className="sr-only" role="status">
        {t("common.loading")}
      </span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <div key={index} aria-hidden="true" data-skeleton="" className={`skeleton ${className}`} />
      ))}
    </>
  );
}
