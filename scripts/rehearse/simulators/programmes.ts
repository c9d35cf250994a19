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

  leave(id: string): void {
    this.all = this.all.filter((one) => one.id !== id);
  }

  find(id: string | null): SimulatedProgramme | undefined {
    return this.all.find((one) => one.id === id);
  }
}
