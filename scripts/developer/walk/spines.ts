/** The six spines: from where one reads what Torcida does, and all that one meets on the way. docs/architecture.md#spines */
import type { Functions, Named } from "./functions.ts";

/** `begins`: where another walk that comes here stops. */
export type Spine = { entry: string; what: string; begins: readonly string[] };

/** By name: `npm run walk -- register`. */
export const SPINES: Readonly<Record<string, Spine>> = {
  register: {
    entry: "registerPurchase",
    what: "a buyer's request, until the mint is queued",
    begins: ["registerPurchase"],
  },
  decide: {
    entry: "decideSales",
    what: "a stored report, until what follows from it is saved",
    begins: ["decideSales", "decide"],
  },
  "catch-up": {
    entry: "Follower.catchUp",
    what: "a new block, until its events are rows",
    begins: ["Follower.catchUp"],
  },
  plan: { entry: "Planner.plan", what: "what is due, until its next step is queued", begins: ["Planner.plan"] },
  round: {
    entry: "Sender.step",
    what: "a queued operation, until its transaction is final",
    begins: ["Sender.step"],
  },
  profile: { entry: "GET /api/me", what: "what a buyer has, until it is answered", begins: ["GET /api/me"] },
};

/** Functions that need no reading, each with what it says. */
export type LookUps = Readonly<Record<string, string>>;

/** `door`: the file from which one enters it across a border. `depth`: how many functions stand open on the way to it. */
export type Stop = Named & { door: string | undefined; depth: number };

/**
 * Every function that a spine may enter, in the order in which a reader meets it, all branches. It ends at look-ups, which
 * need no reading, and where another spine begins. What stands for a member of a type is read on; where several do, the
 * member itself is the door.
 */
export function walk(functions: Functions, spine: string, lookUps: LookUps): Stop[] {
  const own = SPINES[spine];
  if (!own) throw new Error(`There is no spine ${spine}; there are ${Object.keys(SPINES).join(", ")}`);
  const others = new Set(Object.values(SPINES).flatMap((other) => (other === own ? [] : other.begins)));
  const stops = new Map<string, Stop>();
  /** Returns whether it was not met before. */
  const meet = (found: Named, from: string, depth: number): boolean => {
    const key = `${found.file} ${found.name} ${found.from}`;
    const door = from === found.file ? undefined : from;
    const known = stops.get(key);
    if (known) known.door ??= door;
    else stops.set(key, { ...found, door, depth });
    return known === undefined;
  };
  const read = (from: Named, depth: number): void => {
    for (const { targets, declared } of functions.enteredFrom(from)) {
      if (declared && declared.name in lookUps) continue;
      const isChoice = targets.length > 1 && declared !== undefined;
      if (isChoice) meet(declared, from.file, depth);
      for (const target of targets) {
        if (target.name in lookUps) continue;
        const isNew = meet(target, isChoice ? target.file : from.file, depth);
        if (isNew && !others.has(target.name)) read(target, depth + 1);
      }
    }
  };
  const entry = entryOf(functions, own);
  meet(entry, entry.file, 0);
  read(entry, 1);
  return [...stops.values()];
}

function entryOf(functions: Functions, { entry }: Spine): Named {
  const [found, ...more] = functions.named(entry);
  if (!found || more.length > 0) throw new Error(`${found ? more.length + 1 : 0} functions are named ${entry}`);
  return found;
}

/** The distinct functions that one enters across a file's border. */
export function doorsOf(stops: readonly Stop[]): Stop[] {
  return stops.filter(({ door }) => door !== undefined);
}

/** One line of a printed walk; a door is marked. */
export function tell({ door, depth, name, file, from, to }: Stop): string {
  return `${"  ".repeat(depth)}${door ? "▸ " : ""}${name}  ${file}:${from}, ${to - from + 1} lines`;
}

const WRITTEN = /(<!-- npm run walk -- --write -->\n)[\s\S]*?(<!-- end -->)/;

/** The document with what each spine does, in the order of its text: the doors that its own file enters. */
export function withSpines(document: string, functions: Functions, lookUps: LookUps): string {
  const chapters = Object.entries(SPINES).map(([name, spine]) => {
    const { file } = entryOf(functions, spine);
    const near = doorsOf(walk(functions, name, lookUps)).filter(({ door }) => door === file);
    const steps = near.map((stop, index) => {
      const said = functions.documentationOf(stop);
      const says = /^.*?[.?!](?= |$)/.exec(said)?.[0].replace(/\.$/, "") ?? said;
      return `${index + 1}. \`${stop.file}\` \`${stop.name}\`${says ? `: ${says}` : ""}`;
    });
    return `### ${name}: ${spine.what}\n\nFrom \`${spine.entry}\` in \`${file}\`:\n\n${steps.join("\n")}\n`;
  });
  return document.replace(WRITTEN, (_all, start: string, end: string) => `${start}\n${chapters.join("\n")}\n${end}`);
}
