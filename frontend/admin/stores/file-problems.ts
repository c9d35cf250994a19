import { invalidField, isField } from "../invalid-field.ts";

/** What `catalogue/catalogue-file.ts` and `catalogue/changes.ts` find wrong in a file. */
const FILE_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /^type must be store, cashback or fan_token, not "(.*)"$/,
    'o tipo precisa ser store, cashback ou fan_token, e não "$1"',
  ],
  [/^(\w+) is not a field of a (\w+)$/, "$2 não tem o campo $1"],
  [/^store must be the name/, "diga em store o nome da loja da categoria"],
  [/^(.+) appears twice, first at (?:line|row) (\d+)$/, "$1 já está na linha $2"],
  [/^there is no store (.+), here or in the database$/, "não existe a loja $1, nem aqui nem no cadastro"],
  [/^group_code (.+) is also the group of (.+)$/, "o grupo $1 já é da categoria $2"],
  [/^is_default is also true for (.+)$/, "a loja só tem uma categoria padrão, e $1 também é"],
  [/^The fan tokens (.+) and (.+) have the same contract, (.+)$/, "Os fan tokens $1 e $2 têm o mesmo contrato, $3"],
  [/^The file is not JSON: .*$/, "O arquivo não é JSON"],
  [/^The file must be a list of rows.*$/, 'O arquivo precisa ser uma lista de linhas, cada uma com o seu "type"'],
  [/^.* (?:on|at) line (\d+).*$/, "O arquivo não é um CSV correto: veja a linha $1"],
];

/** The message of an import that was refused, line by line, in Portuguese. */
export function fileProblems(message: string): string {
  return message
    .split("\n")
    .map((line) => {
      const [, place, problem = line] = /^(?:line|row) (\d+): (.*)$/.exec(line) ?? [];
      const words = fileProblem(problem);
      return place ? `Linha ${place}: ${words}` : words;
    })
    .join("\n");
}

function fileProblem(problem: string): string {
  const found = FILE_PROBLEMS.find(([pattern]) => pattern.test(problem));
  if (found) return problem.replace(found[0], found[1]);
  const [, field = "", rule = ""] = /^(\w+) (.*)$/.exec(problem) ?? [];
  return isField(field) ? invalidField(field, rule) : problem;
}
