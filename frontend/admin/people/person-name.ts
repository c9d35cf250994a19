import type { AdminUser } from "../shapes.ts";

export const personName = (person: Pick<AdminUser, "first_name" | "last_name" | "state">): string =>
  person.state === "erased" ? "Cadastro apagado" : `${person.first_name} ${person.last_name}`.trim() || "Sem nome";
