import { useText } from "../i18n/language.tsx";
import { Icon } from "../ui/icon.tsx";
import { theme } from "./theme.ts";

/** Changes to the other theme: a drawing in the header, with its words in the account menu. */
export function ThemeSwitch({ hasWords = false }: { hasWords?: boolean }) {
  const t = useText();
  const isDark = theme.use() === "dark";
  const label = t(isDark ? "theme.toLight" : "theme.toDark");
  return (
    <button
      type="button"
      className={hasWords ? undefined : "icon-button"}
      aria-label={hasWords ? undefined : label}
      onClick={() => theme.set(isDark ? "light" : "dark")}
    >
      <Icon name={isDark ? "sun" : "moon"} />
      {hasWords && label}
    </button>
  );
}
