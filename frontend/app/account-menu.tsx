import { type FocusEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { NavLink } from "react-router";
import { useText } from "../i18n/language.tsx";
import { useSession } from "../session/session.tsx";
import { Icon } from "../ui/icon.tsx";
import { useCloseOnBack } from "../ui/use-close-on-back.ts";
import { paths } from "./paths.ts";
import { ThemeSwitch } from "./theme-switch.tsx";

/**
 * What is the user's own, and the theme. The browser's popover: it closes on Escape and on a press outside, and gives
 * the focus back. docs/product.md#header
 */
export function AccountMenu() {
  const t = useText();
  const { status, profile } = useSession();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  if (status === "anonymous") return null;
  const close = () => menu.current?.hidePopover();
  const move = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    // Its state is told a moment later.
    if (!menu.current?.matches(":popover-open")) button.current?.click();
    moveFocus(menu.current, event.key === "ArrowDown" ? 1 : -1);
  };
  const closeWhenLeft = ({ relatedTarget }: FocusEvent) => {
    if (!relatedTarget || relatedTarget === button.current || menu.current?.contains(relatedTarget)) return;
    close();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-button"
        aria-label={t("account.menu")}
        popoverTarget={id}
        onKeyDown={move}
      >
        <Icon name="person" />
      </button>
      <nav
        ref={menu}
        id={id}
        popover="auto"
        className="account-menu"
        aria-label={t("account.menu")}
        onKeyDown={move}
        onBlur={closeWhenLeft}
        onToggle={({ newState }) => setOpen(newState === "open")}
      >
        {isOpen && <CloseOnBack onClose={close} />}
        {profile?.fullName && <p>{profile.fullName}</p>}
        {LINKS.map(([name, to, icon]) => (
          <NavLink key={to} to={to} onClick={close}>
            <Icon name={icon} />
            {t(name)}
          </NavLink>
        ))}
        <ThemeSwitch hasWords />
      </nav>
    </>
  );
}

const LINKS = [
  ["profile.title", paths.profile, "edit"],
  ["visits.title", paths.visits, "clock"],
  ["help.topics", paths.help(), "info"],
] as const;

function CloseOnBack({ onClose }: { onClose: () => void }) {
  useCloseOnBack(onClose);
  return null;
}

/** To the next entry or the one before, around at the ends; from outside to the first or last one. */
function moveFocus(menu: HTMLElement | null, step: 1 | -1): void {
  const entries = [...(menu?.querySelectorAll<HTMLElement>("a, button") ?? [])];
  const here = entries.findIndex((one) => one.matches(":focus"));
  const from = here < 0 && step < 0 ? 0 : here;
  entries.at((from + step) % entries.length)?.focus();
}
