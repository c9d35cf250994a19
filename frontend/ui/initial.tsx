/** The first letters of a name on the club-neutral ticket, where there is no logo. */
export function Initial({ name, letters = 1, className = "" }: { name: string; letters?: number; className?: string }) {
  return (
    <span className={`initial ${className}`} aria-hidden="true">
      {name.trim().slice(0, letters).toUpperCase() || "T"}
    </span>
  );
}
