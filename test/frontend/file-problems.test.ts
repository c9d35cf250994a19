import { expect } from "chai";
import { CatalogueFileError, type CatalogueFormat, readCatalogue } from "../../core/catalogue/catalogue-file.ts";
import type { FileProblem } from "../../core/rules/api/admin-catalogue.ts";
import { fileProblems } from "../../frontend/admin/stores/file-problems.ts";

const FILES: readonly [format: CatalogueFormat, text: string, words: RegExp][] = [
  ["csv", "type,name,country\nshop,Boa,Brasil\n", /^Linha 2: o tipo precisa ser/],
  ["csv", "type,nome,country\nstore,Boa,Brasil\n", /^Linha 2: store não tem o campo nome\nLinha 2: Nome não pode/],
  ["csv", "type,category,cashback_percent\ncashback,A,5\n", /^Linha 2: diga em store o nome da loja/],
  ["csv", "type,name,country\nstore,Boa,Brasil\nstore,BOA,Brasil\n", /^Linha 3: store boa já está na linha 2$/],
  ["csv", "type,name,country\nstore,Boa,Brasil,SP\n", /^O arquivo não é um CSV correto: veja a linha 2$/],
  ["csv", 'type,name,country\nstore,"Boa,Brasil\n', /^O arquivo não é um CSV correto: veja a linha \d$/],
  ["csv", "type,name,country\nstore,Verd\uFFFDo,Brasil\n", /^Linha 2: uma letra com acento se perdeu; .* CSV UTF-8$/],
  ["json", "[{", /^O arquivo não é JSON$/],
  ["json", "{}", /^O arquivo precisa ser uma lista de linhas/],
];

describe("What is wrong with a catalogue file, in the panel's words", () => {
  for (const [format, text, words] of FILES) {
    it(`is said in Portuguese: ${words.source.slice(1, 60)}`, () => {
      expect(fileProblems(problemsOf(() => readCatalogue(format, text)))).to.match(words);
    });
  }

  it("names what contradicts the database", () => {
    const said = fileProblems([
      { problem: "no_store", place: 3, values: ["Boa"] },
      { problem: "group_taken", place: 4, values: ["G1", "Camisas"] },
      { problem: "second_default", place: 5, values: ["Camisas"] },
      { problem: "contract_taken", values: ["galo", "cam", "0xab"] },
    ]);
    expect(said.split("\n")).to.deep.equal([
      "Linha 3: não existe a loja Boa, nem aqui nem no cadastro",
      "Linha 4: o grupo G1 já é da categoria Camisas",
      "Linha 5: a loja só pode ter uma categoria padrão, e Camisas seria outra",
      "Os fan tokens galo e cam têm o mesmo contrato, 0xab",
    ]);
  });
});

function problemsOf(read: () => unknown): readonly FileProblem[] {
  try {
    read();
  } catch (error) {
    if (error instanceof CatalogueFileError) return error.problems;
    throw error;
  }
  throw new Error("The file was accepted");
}
