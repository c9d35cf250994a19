/** A page of the documentation, or a section of it. A test checks that every cited one exists. */
export type DocsAnchor = `README.md#${string}` | `docs/${string}.md` | `docs/${string}.md#${string}`;

/**
 * An error that a person or a caller can act on. The message is one sentence: what happened, to what, and what to do.
 * Every other `Error` is a defect of this program.
 */
export abstract class TorcidaError extends Error {
  /** The class's. */
  override readonly name: string = this.constructor.name;
  /** The section that explains it. */
  abstract readonly docs: DocsAnchor;
}
