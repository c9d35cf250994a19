/** A part of a page to run: a shell block, or a manual step. */
export type Part =
  | { kind: "shell"; heading: string; text: string; isInFull: boolean }
  | { kind: "by hand"; what: string };

/** The shell blocks of a page in order, with the manual steps between them, which are comments in the page. */
export function readParts(page: string): Part[] {
  const parts: Part[] = [];
  let heading = "";
  let isInFull = false;
  for (const match of page.matchAll(/^## (.+)$|^<!-- (.+) -->$|^```sh\n([\s\S]*?)^```$/gm)) {
    const [, title, comment, text] = match;
    if (title !== undefined) heading = title;
    else if (comment === "in full") isInFull = true;
    else if (comment?.startsWith("by hand: ")) parts.push({ kind: "by hand", what: comment.slice("by hand: ".length) });
    else if (text !== undefined) {
      parts.push({ kind: "shell", heading, text, isInFull });
      isInFull = false;
    }
  }
  return parts;
}
