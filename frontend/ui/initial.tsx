/** The number of paper tones, which have no meaning and only vary a list of initials. */
const TONES = 5;

/** The same name always has the same tone. */
function toneOf(name: string): number {
  return [...name.toLowerCase()].reduce((sum, letter) => (sum * 87 + (letter.codePointAt(0) ?? 0)) % 9_973, 4) % TONES;
}

/** The first letters of a name, in place of a missing logo. */
export function Initial({ name, letters = 1, className = "" }: { name: string; letters?: number; className?: string }) {
  return (
    <span className={`initial initial-tone-${toneOf(name)} ${className}`} aria-hidden="true">
      {name.trim().slice(0, letters).toUpperCase() || "T"}
    </span>
  );
}
