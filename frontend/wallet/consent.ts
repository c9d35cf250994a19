import "./consent.css";

export type Consent = {
  title: string;
  /** What is asked for, as it will be signed. */
  detail: string;
  /** One paragraph each, below it. */
  notes: readonly string[];
  no: string;
  yes: string;
};

/**
 * The dialog of a wallet that comes with the page, and the user's decision. Plain DOM, because a wallet is not part of
 * the app.
 */
export function askConsent({ title, detail, notes, no, yes }: Consent): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog wallet-request";
  dialog.setAttribute("aria-labelledby", "wallet-request-title");
  const heading = element("h2", title);
  heading.id = "wallet-request-title";
  const body = element("pre", detail);
  body.tabIndex = 0;
  const refuse = button(no, "button button-quiet");
  const approve = button(yes, "button");
  const actions = element("div", "");
  actions.className = "dialog-actions";
  actions.append(refuse, approve);
  dialog.append(heading, body, ...notes.map((note) => element("p", note)), actions);
  dialog.addEventListener("keydown", (event) => {
    // Otherwise a dialog of the app takes it, and closes below this one.
    if (event.key === "Escape") event.stopPropagation();
    // The browser's own modal lets Tab leave to the browser's bars.
    const [from, to] = event.shiftKey ? [body, approve] : [approve, body];
    if (event.key !== "Tab" || document.activeElement !== from) return;
    event.preventDefault();
    to.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  approve.focus();
  return new Promise((resolve) => {
    const close = (isApproved: boolean) => {
      // Gives the focus back.
      dialog.close();
      dialog.remove();
      resolve(isApproved);
    };
    approve.addEventListener("click", () => close(true));
    refuse.addEventListener("click", () => close(false));
    dialog.addEventListener("cancel", () => close(false));
  });
}

function element(tag: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function button(text: string, className: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = text;
  return made;
}
