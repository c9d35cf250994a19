/** A shop that a simulated network's publisher works with. Percents are as the network writes them: text or number. */
export type SimulatedProgramme = {
  id: string;
  name: string;
  url: string;
  domains: readonly string[];
  /** The network's own word: `active`, `suspended`, `closed`. */
  status: string;
  groups: readonly SimulatedGroup[];
};

type SimulatedGroup =
  | { code: string; name: string; percent: string | number }
  | { code: string; name: string; amount: number };

/** What a network does with a programme in the rehearsal. */
export const PROGRAMME_TURNS = ["arrive", "less", "more", "pause", "resume"] as const;
export type ProgrammeTurn = (typeof PROGRAMME_TURNS)[number];

/** The programmes of a simulated network, and what happens to them. */
export class Programmes {
  all: SimulatedProgramme[] = [];

  join(programme: Partial<SimulatedProgramme> & Pick<SimulatedProgramme, "id" | "name">): void {
    const url = `https://www.${programme.id}.example/`;
    const groups = [{ code: "DEFAULT", name: "Todos os produtos", percent: 8 }];
    this.all.push({ url, domains: [], status: "active", groups, ...programme });
  }

  change(id: string, change: Partial<SimulatedProgramme>): void {
    this.all = this.all.map((one) => (one.id === id ? { ...one, ...change } : one));
  }

  /** Halves or doubles what it pays, pauses it or lets it come back. */
  turn(id: string, turn: Exclude<ProgrammeTurn, "arrive">): void {
    const programme = this.find(id);
    if (!programme) return;
    if (turn === "pause" || turn === "resume") {
      this.change(id, { status: turn === "pause" ? "suspended" : "active" });
      return;
    }
    const times = turn === "less" ? 0.5 : 2;
    const groups = programme.groups.map((group) =>
      "percent" in group ? { ...group, percent: Number(group.percent) * times } : group,
    );
    this.change(id, { groups });
  }

  leave(id: string): void {
    this.all = this.all.filter((one) => one.id !== id);
  }

  find(id: string | null): SimulatedProgramme | undefined {
    return this.all.find((one) => one.id === id);
  }
}
