import { expect } from "chai";
import { isNobodysRole, isVisibleName } from "../../core/rules/person-name.ts";

/** docs/product.md#panel-users */
describe("A name for a person", () => {
  for (const name of [
    "",
    "Padaria do Zé",
    "Ana Souza 😀",
    "แม่น้ำ",
    "João Donato",
    "Serviçal Administrativo",
    "Ana 2",
    "10",
  ]) {
    it(`takes ${JSON.stringify(name)}`, () =>
      expect([isVisibleName(name), isNobodysRole(name)]).to.deep.equal([true, true]));
  }
  for (const name of ["\u3164", "Ana\u200b", "\u202eanA", "Ana\u2800", " ", "\uffa0", "Ana\u0000"]) {
    it(`sees what ${JSON.stringify(name)} hides`, () => expect(isVisibleName(name)).to.equal(false));
  }
  for (const name of [
    "Dono",
    "a equipe",
    "OPERAÇÃO",
    "Ana (auditoria)",
    "Serviços",
    "Você",
    "system",
    "admin-2",
    "Ａｄｍｉｎ",
  ]) {
    it(`leaves ${JSON.stringify(name)} to the team`, () => expect(isNobodysRole(name)).to.equal(false));
  }
  for (const name of ["\u0410dmin", "adm1n", "0wner", "\u0455ystem", "d\u03bfno", "@dmin"]) {
    it(`reads ${JSON.stringify(name)} as it looks`, () => expect(isNobodysRole(name)).to.equal(false));
  }
});
