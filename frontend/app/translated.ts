/**
 * A browser that translates a page puts elements in the place of its texts. React, which knows only its own nodes, would
 * end the page where one of them has gone: what is not there any more needs no removal, and what was to stand before it
 * stands last.
 */
export function tolerateTranslators(): void {
  const { removeChild, insertBefore } = Node.prototype;
  Node.prototype.removeChild = function <T extends Node>(child: T): T {
    return child.parentNode === this ? (removeChild.call(this, child) as T) : child;
  };
  Node.prototype.insertBefore = function <T extends Node>(node: T, before: Node | null): T {
    const isHere = before === null || before.parentNode === this;
    return insertBefore.call(this, node, isHere ? before : null) as T;
  };
}
