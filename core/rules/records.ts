/** Whether a value is an object whose properties can be read; a list is not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a text is one of an object's own keys. */
export function isKeyOf<T extends object>(object: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(object, key);
}

/**
 * An object's own value; undefined for a key that it does not have. The only way to look up a word of others, such as
 * "constructor", in an object.
 */
export function ownValue<V>(object: Readonly<Record<string, V>>, key: string): V | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** An object's own keys, typed; only for objects without further properties, such as constant tables. */
export function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object).filter((key): key is keyof T & string => isKeyOf(object, key));
}

/** An object with exactly these keys. */
export function recordOf<K extends string, V>(keys: readonly K[], read: (key: K) => V): Record<K, V> {
  // TypeScript types the keys of `Object.fromEntries` as any text.
  return Object.fromEntries(keys.map((key) => [key, read(key)])) as Record<K, V>;
}

/** JSON with bigints as texts of their digits. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? part.toString() : part));
}

/** The ids of rows, in their order. */
export function idsOf<Id>(rows: readonly { id: Id }[]): Id[] {
  return rows.map(({ id }) => id);
}
