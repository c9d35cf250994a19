import { setTimeout as delay } from "node:timers/promises";
import { fireEvent, queryAllByLabelText, queryAllByRole } from "@testing-library/dom";
import { userEvent } from "@testing-library/user-event";

const POLL_MS = 10;
/** A machine that is busy with other tests takes its time; mocha ends what hangs. */
const TIMEOUT_MS = 60_000;

type Words = string | RegExp;
type Exactness = { exact?: boolean };
type RoleOptions = Exactness & {
  name?: Words;
  description?: Words;
  disabled?: boolean;
  checked?: boolean;
  selected?: boolean;
  expanded?: boolean;
  pressed?: boolean;
  level?: number;
};
type Filter = { hasText?: Words; has?: Part; hasNotText?: Words };
type Waiting = { state?: "visible" | "hidden" | "attached" | "detached"; timeout?: number };

const textOf = (element: Element) => (element.textContent ?? "").replaceAll(/\s+/g, " ").trim();

/** As Playwright reads words: a part of the text, whatever its case, if they are not exact. */
function says(text: string, words: Words, { exact = false }: Exactness = {}): boolean {
  if (words instanceof RegExp) return words.test(text);
  const wanted = words.replaceAll(/\s+/g, " ").trim();
  return exact ? text === wanted : text.toLowerCase().includes(wanted.toLowerCase());
}

/** Without layout: what the document itself hides. Styles are Chromium's. */
function isShown(element: Element): boolean {
  for (let one: Element | null = element; one; one = one.parentElement) {
    if (one.hasAttribute("hidden")) return false;
    const parent: Element | null = one.parentElement;
    if (parent?.localName === "details" && !parent.hasAttribute("open") && one.localName !== "summary") return false;
  }
  return element.isConnected;
}

/** Nor does a reader's software say what is inert, or hidden from it. */
const isSaid = (element: Element) => isShown(element) && !element.closest("[aria-hidden=true], [inert]");

const isDisabled = (element: Element) =>
  element.matches(":disabled") ||
  element.getAttribute("aria-disabled") === "true" ||
  !!element.closest("fieldset[disabled]");

/** `Enter`, `Shift+Tab` as user-event writes them. */
function keysOf(key: string): string {
  const parts = key.split("+");
  const last = parts.pop() ?? "";
  const pressed = last.length === 1 ? last : `{${last}}`;
  return `${parts.map((one) => `{${one}>}`).join("")}${pressed}${parts.map((one) => `{/${one}}`).join("")}`;
}

/**
 * What of a document a test looks for, in the words of Playwright, so that a test is the same in Chromium and without: it is
 * looked for again at each use, waited for, and must be one where something is done to it.
 */
export class Part {
  readonly #find: () => Element[];
  readonly #what: string;

  constructor(find: () => Element[], what: string) {
    this.#find = find;
    this.#what = what;
  }

  #inside(what: string, find: (root: HTMLElement) => Element[]): Part {
    return new Part(
      () => [...new Set(this.#find().flatMap((root) => find(root as HTMLElement)))],
      `${this.#what} ${what}`,
    );
  }

  getByRole(role: string, { name, description, exact, disabled, ...options }: RoleOptions = {}): Part {
    const fits = (words: Words) => (text: string) => says(text.replaceAll(/\s+/g, " ").trim(), words, { exact });
    const matches = {
      ...(name !== undefined && { name: fits(name) }),
      ...(description !== undefined && { description: fits(description) }),
    };
    return this.#inside(`${role} ${name ?? ""}`, (root) =>
      queryAllByRole(root, role, { ...options, ...matches, hidden: true }).filter(
        (element) => isSaid(element) && (disabled === undefined || isDisabled(element) === disabled),
      ),
    );
  }

  /** The smallest elements that have the words. */
  getByText(words: Words, options: Exactness = {}): Part {
    return this.#inside(`text ${words}`, (root) => {
      const found = [...root.querySelectorAll("*")].filter(
        (element) => !["SCRIPT", "STYLE"].includes(element.tagName) && says(textOf(element), words, options),
      );
      return found.filter((element) => !found.some((other) => other !== element && element.contains(other)));
    });
  }

  getByLabel(words: Words, options: Exactness = {}): Part {
    return this.#inside(`label ${words}`, (root) =>
      queryAllByLabelText(root, (text) => says(text.replaceAll(/\s+/g, " ").trim(), words, options)),
    );
  }

  locator(selector: string, filter: Filter = {}): Part {
    return this.#inside(selector, (root) => [...root.querySelectorAll(selector)]).filter(filter);
  }

  filter({ hasText, hasNotText, has }: Filter): Part {
    const fits = (element: Element) =>
      (hasText === undefined || says(textOf(element), hasText)) &&
      (hasNotText === undefined || !says(textOf(element), hasNotText)) &&
      (has === undefined || has.#find().some((one) => element !== one && element.contains(one)));
    return new Part(() => this.#find().filter(fits), `${this.#what} with ${hasText ?? hasNotText ?? "a part"}`);
  }

  or(other: Part): Part {
    return new Part(() => [...this.#find(), ...other.#find()], `${this.#what} or ${other.#what}`);
  }

  nth(index: number): Part {
    return new Part(() => this.#find().slice(index).slice(0, 1), `${this.#what} number ${index}`);
  }
  first(): Part {
    return this.nth(0);
  }
  last(): Part {
    return this.nth(-1);
  }

  async all(): Promise<Part[]> {
    return this.#find().map((_, index) => this.nth(index));
  }
  async count(): Promise<number> {
    await delay(0);
    return this.#find().length;
  }
  async allTextContents(): Promise<string[]> {
    return this.#find().map((element) => element.textContent ?? "");
  }
  async allInnerTexts(): Promise<string[]> {
    return this.#find().map(textOf);
  }

  /** Until it is there, and one alone. */
  async #one(timeout = TIMEOUT_MS): Promise<HTMLElement> {
    return waitUntil(
      () => this.#what,
      () => {
        const found = this.#find();
        if (found.length > 1)
          throw new Error(`there are ${found.length}: ${found.map((one) => one.outerHTML.slice(0, 200)).join("\n")}`);
        return found[0] as HTMLElement | undefined;
      },
      timeout,
    );
  }

  async waitFor({ state = "visible", timeout = TIMEOUT_MS }: Waiting = {}): Promise<void> {
    const isGone = () => this.#find().length === 0 || (state === "hidden" && !this.#find().some(isShown));
    if (state === "detached" || state === "hidden") {
      await waitUntil(
        () => `${this.#what} to be gone`,
        () => isGone() || undefined,
        timeout,
      );
      return;
    }
    await waitUntil(
      () => this.#what,
      () => {
        const found = this.#find();
        if (found.length > 1)
          throw new Error(`there are ${found.length}: ${found.map((one) => one.outerHTML.slice(0, 200)).join("\n")}`);
        return found.some((one) => state === "attached" || isShown(one)) || undefined;
      },
      timeout,
    );
  }

  /** Until it can be pressed. */
  async #usable(timeout = TIMEOUT_MS): Promise<HTMLElement> {
    const isUsable = (one: HTMLElement) => isShown(one) && !isDisabled(one) && !one.closest("[inert]");
    return waitUntil(
      () => `${this.#what} to be usable`,
      async () => {
        const one = await this.#one(timeout);
        return isUsable(one) ? one : undefined;
      },
      timeout,
    );
  }

  async #act(
    act: (user: ReturnType<typeof userEvent.setup>, element: HTMLElement) => Promise<unknown>,
    timeout?: number,
  ) {
    const element = await this.#usable(timeout);
    await act(newUser(), element);
    await delay(0);
  }

  click({ timeout }: { timeout?: number } = {}): Promise<void> {
    return this.#act((user, element) => user.click(element), timeout);
  }
  hover(): Promise<void> {
    return this.#act((user, element) => user.hover(element));
  }
  focus(): Promise<void> {
    return this.#act(async (_user, element) => element.focus());
  }
  /** At once, as Playwright does. */
  fill(value: string): Promise<void> {
    return this.#act(async (_user, element) => {
      element.focus();
      fireEvent.input(element, { target: { value } });
    });
  }
  press(key: string): Promise<void> {
    return this.#act(async (user, element) => {
      element.focus();
      await user.keyboard(keysOf(key));
    });
  }
  pressSequentially(text: string): Promise<void> {
    return this.#act(async (user, element) => {
      element.focus();
      await user.keyboard(text.replaceAll(/[[{]/g, "$&$&"));
    });
  }
  check(): Promise<void> {
    return this.#act(async (user, element) => {
      if (!(element as HTMLInputElement).checked) await user.click(element);
    });
  }
  uncheck(): Promise<void> {
    return this.#act(async (user, element) => {
      if ((element as HTMLInputElement).checked) await user.click(element);
    });
  }
  selectOption(option: string | { label: string }): Promise<void> {
    return this.#act((user, element) =>
      user.selectOptions(element, typeof option === "string" ? option : option.label),
    );
  }
  setInputFiles(file: { name: string; mimeType: string; buffer: Uint8Array<ArrayBuffer> }): Promise<void> {
    return this.#act((user, element) =>
      user.upload(element, new File([file.buffer], file.name, { type: file.mimeType })),
    );
  }

  async textContent(): Promise<string> {
    return (await this.#one()).textContent ?? "";
  }
  async innerText(): Promise<string> {
    return textOf(await this.#one());
  }
  async inputValue(): Promise<string> {
    return ((await this.#one()) as HTMLInputElement).value;
  }
  async getAttribute(name: string): Promise<string | null> {
    return (await this.#one()).getAttribute(name);
  }
  async isEnabled({ timeout }: { timeout?: number } = {}): Promise<boolean> {
    return !isDisabled(await this.#one(timeout));
  }
  async isDisabled(): Promise<boolean> {
    return isDisabled(await this.#one());
  }
  async isChecked(): Promise<boolean> {
    return ((await this.#one()) as HTMLInputElement).checked;
  }
  async isVisible(): Promise<boolean> {
    return this.#find().some(isShown);
  }
  async evaluate<Result, Argument>(look: (element: HTMLElement, argument: Argument) => Result, argument?: Argument) {
    return look(await this.#one(), argument as Argument);
  }
  async evaluateAll<Result>(look: (elements: HTMLElement[]) => Result): Promise<Result> {
    return look(this.#find() as HTMLElement[]);
  }
}

/** Somebody who clicks and types without a pause, in the document as it is now. */
export const newUser = () => userEvent.setup({ document, delay: null, pointerEventsCheck: 0 });

export const type = async (text: string) => {
  await newUser().keyboard(text.replaceAll(/[[{]/g, "$&$&"));
  await delay(0);
};
export const press = async (key: string) => {
  await newUser().keyboard(keysOf(key));
  await delay(0);
};

/** Polls; an error counts as not yet, and is told at the end. */
export async function waitUntil<Result>(
  what: () => string,
  look: () => Result | undefined | Promise<Result | undefined>,
  timeoutMs = TIMEOUT_MS,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  let last = "";
  while (true) {
    try {
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      last = ` (${(error as Error).message})`;
    }
    if (performance.now() >= deadline) throw new Error(`Not within ${timeoutMs / 1000} s: ${what()}${last}`);
    await delay(POLL_MS);
  }
}
