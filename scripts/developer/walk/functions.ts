/** Which functions of the repository a function enters, as TypeScript's own type checker resolves them. */
import { relative } from "node:path";
import { type Identifier, type Node, SyntaxKind } from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { API, type Symbol as CheckedSymbol, type NodeHandle, SymbolFlags } from "typescript/unstable/sync";

/** One function of the repository: declared, a method, a closure with a name, or what a call passes under a name. */
export type Named = { file: string; name: string; from: number; to: number; node: Node };

/** `targets`: what one of its calls may enter; of several, `declared` is the member of a type that they all stand for. */
export type Entered = { targets: Named[]; declared: Named | undefined };

export type Declared = Named & { isExported: boolean; uses: number };

export type Functions = ReturnType<typeof openFunctions>;

/** Reads the program of the `tsconfig.json` in `root`. `[Symbol.dispose]` ends the checker's process. */
export function openFunctions(root: string) {
  const api = new API({ cwd: root });
  const [project] = api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] }).getProjects();
  if (!project) throw new Error(`${root}/tsconfig.json has no program`);
  const { program, checker } = project;
  const isOurs = (path: string) => path.startsWith(`${root}/`) && !path.includes("/node_modules/");
  const files = program
    .getSourceFileNames()
    .filter((name) => isOurs(name))
    .flatMap((name) => program.getSourceFile(name) ?? []);

  /** Objects and classes by the names of their members: what a member of a type may be at run time. */
  const members = Map.groupBy(
    files.flatMap((file) => collect(file, (node) => (isMember(node) ? [node] : []))),
    (member) => nameOf(member),
  );
  const implementations = new Map<Node, Node[]>();

  function declarationsOf(symbol: CheckedSymbol): Node[] {
    const real = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return real.declarations.flatMap((handle: NodeHandle) =>
      isOurs(handle.path) ? (handle.resolve(project) ?? []) : [],
    );
  }

  /** What stands for a member of a type: that member of each object and class which is given where the type is asked. */
  function implementationsOf(signature: Node): Node[] {
    const known = implementations.get(signature);
    if (known) return known;
    const found = (members.get(nameOf(signature)) ?? []).filter((member) => {
      const { parent } = member;
      if (is.isObjectLiteralExpression(parent)) {
        const type = checker.getContextualType(parent);
        const types = type?.isUnionType() ? (type.getTypes() ?? []) : type ? [type] : [];
        return types.some((one) => {
          const property = checker.getPropertyOfType(one, nameOf(signature));
          return property?.declarations.some((handle) => handle.resolve(project) === signature);
        });
      }
      return (
        is.isClassDeclaration(parent) &&
        parent.heritageClauses?.some(
          (clause) =>
            clause.token === SyntaxKind.ImplementsKeyword &&
            clause.types.some((one) => {
              const type = checker.getTypeAtLocation(one);
              const property = type && checker.getPropertyOfType(type, nameOf(signature));
              return property?.declarations.some((handle) => handle.resolve(project) === signature);
            }),
        )
      );
    });
    implementations.set(signature, found);
    return found;
  }

  /** The functions that a declaration stands for, and further places to look at for them. */
  function functionsOf(declaration: Node, seen = new Set<Node>()): Node[] {
    if (seen.has(declaration)) return [];
    seen.add(declaration);
    if (isFunction(declaration)) return hasBody(declaration) ? [declaration] : implementationsOf(declaration);
    if (is.isPropertySignatureDeclaration(declaration) || is.isMethodSignatureDeclaration(declaration)) {
      return implementationsOf(declaration).flatMap((member) => functionsOf(member, seen));
    }
    if (is.isClassDeclaration(declaration)) {
      // What is thrown ends a walk.
      if (nameOf(declaration).endsWith("Error")) return [];
      return declaration.members.filter((member) => is.isConstructorDeclaration(member));
    }
    if (is.isBindingElement(declaration)) {
      const property = declaration.propertyName ?? declaration.name;
      if (!property || !is.isIdentifier(property)) return [];
      const type = checker.getTypeAtLocation(declaration.parent);
      const symbol = type ? checker.getPropertyOfType(type, property.text) : undefined;
      return symbol ? declarationsOf(symbol).flatMap((one) => functionsOf(one, seen)) : [];
    }
    if (is.isShorthandPropertyAssignment(declaration)) {
      const symbol = checker.getShorthandAssignmentValueSymbol(declaration);
      return symbol ? declarationsOf(symbol).flatMap((one) => functionsOf(one, seen)) : [];
    }
    const value = valueHeldBy(declaration);
    if (!value) return [];
    if (isFunction(value)) return [value];
    if (is.isIdentifier(value) || is.isPropertyAccessExpression(value)) {
      const symbol = checker.getSymbolAtLocation(value);
      return symbol ? declarationsOf(symbol).flatMap((one) => functionsOf(one, seen)) : [];
    }
    // An object made with functions, such as `new GroupCommit(kysely, write)`, calls them.
    if (!is.isNewExpression(value)) return [];
    return (value.arguments ?? []).flatMap((argument) => {
      if (isFunction(argument)) return [argument];
      const symbol = is.isIdentifier(argument) ? checker.getSymbolAtLocation(argument) : undefined;
      return symbol ? declarationsOf(symbol).flatMap((one) => functionsOf(one, seen)) : [];
    });
  }

  const known = new Map<Node, Named>();
  function named(node: Node): Named {
    const found = known.get(node) ?? read(node);
    known.set(node, found);
    return found;
  }

  function read(node: Node): Named {
    const file = node.getSourceFile();
    const lineOf = (position: number) => file.text.slice(0, position).split("\n").length;
    return {
      file: relative(root, file.fileName),
      name: fullNameOf(node),
      from: lineOf(node.getStart(file)),
      to: lineOf(node.end),
      node,
    };
  }

  const entered = new Map<Node, Entered[]>();
  function readEntered({ node }: Named): Entered[] {
    const names = collect(node, (one) => (isReference(one) ? [one] : []));
    const symbols = names.length > 0 ? checker.getSymbolAtLocation(names) : [];
    return names.flatMap((at, index) => {
      const { parent } = at;
      const isShorthand = is.isShorthandPropertyAssignment(parent);
      const symbol = isShorthand ? checker.getShorthandAssignmentValueSymbol(parent) : symbols[index];
      const declarations = symbol ? declarationsOf(symbol) : [];
      const targets = new Set(declarations.flatMap((one) => functionsOf(one)).filter((one) => !contains(node, one)));
      const declared = declarations[0] && named(declarations[0]);
      return targets.size > 0 ? [{ targets: [...targets].map(named), declared }] : [];
    });
  }

  const byName = Map.groupBy(
    files.flatMap((file) => collect(file, (node) => (isFunction(node) ? [node] : []))),
    fullNameOf,
  );

  return {
    /** The functions with a name, as `fullNameOf` gives it. */
    named: (name: string): Named[] => (byName.get(name) ?? []).map(named),
    /** Whatever this one may enter, with all that stands inside it, in the order of the text. */
    enteredFrom(from: Named): Entered[] {
      const found = entered.get(from.node) ?? readEntered(from);
      entered.set(from.node, found);
      return found;
    },
    /** Every function of a file's own level, with how often code other than its own names it. */
    declared(): Declared[] {
      const uses = new Map<Node, number>();
      for (const file of files) {
        const names = collect(file, (one) => (isReference(one) ? [one] : []));
        const symbols = names.length > 0 ? checker.getSymbolAtLocation(names) : [];
        names.forEach((at, index) => {
          const isShorthand = is.isShorthandPropertyAssignment(at.parent);
          const symbol = isShorthand ? checker.getShorthandAssignmentValueSymbol(at.parent) : symbols[index];
          for (const one of symbol ? declarationsOf(symbol) : []) {
            if (!contains(one, at)) uses.set(one, (uses.get(one) ?? 0) + 1);
          }
        });
      }
      return files.flatMap((file) =>
        file.statements
          .filter((statement) => is.isFunctionDeclaration(statement))
          .map((node) => {
            const isExported = node.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) ?? false;
            return { ...named(node), isExported, uses: uses.get(node) ?? 0 };
          }),
      );
    },
    /** Its documentation, in one line. */
    documentationOf({ node }: Named): string {
      const isWithName = is.isFunctionDeclaration(node) || is.isClassDeclaration(node.parent);
      const holder = isWithName && !is.isConstructorDeclaration(node) ? node : node.parent;
      const file = node.getSourceFile();
      const comment = /\/\*\*([\s\S]*?)\*\/\s*$/.exec(file.text.slice(holder.pos, holder.getStart(file)))?.[1] ?? "";
      return comment
        .replace(/^\s*\* ?/gm, " ")
        .replace(/\s+/g, " ")
        .trim();
    },
    [Symbol.dispose]: () => api.close(),
  };
}

function collect<T>(root: Node, read: (node: Node) => readonly T[]): T[] {
  const found: T[] = [];
  const visit = (node: Node): void => {
    if (is.isTypeNode(node) || is.isTypeAliasDeclaration(node) || is.isInterfaceDeclaration(node)) return;
    found.push(...read(node));
    node.forEachChild(visit);
  };
  visit(root);
  return found;
}

function contains(outer: Node, inner: Node): boolean {
  return outer.getSourceFile() === inner.getSourceFile() && outer.pos <= inner.pos && inner.end <= outer.end;
}

function isFunction(node: Node): boolean {
  return (
    is.isFunctionDeclaration(node) ||
    is.isFunctionExpression(node) ||
    is.isArrowFunction(node) ||
    is.isMethodDeclaration(node) ||
    is.isConstructorDeclaration(node) ||
    is.isGetAccessorDeclaration(node) ||
    is.isSetAccessorDeclaration(node)
  );
}

function hasBody(node: Node): boolean {
  return (node as { body?: unknown }).body !== undefined;
}

/** A member that may stand for a member of a type. */
function isMember(node: Node): boolean {
  const ofObject =
    is.isPropertyAssignment(node) || is.isShorthandPropertyAssignment(node) || is.isMethodDeclaration(node);
  return (ofObject || is.isPropertyDeclaration(node) || is.isGetAccessorDeclaration(node)) && nameOf(node) !== "";
}

/** A name that is read, and neither declared nor a label. */
function isReference(node: Node): node is Identifier {
  if (!is.isIdentifier(node) && !is.isPrivateIdentifier(node)) return false;
  const { parent } = node;
  if (is.isShorthandPropertyAssignment(parent)) return true;
  return (parent as { name?: unknown }).name !== node || is.isPropertyAccessExpression(parent);
}

function valueHeldBy(declaration: Node): Node | undefined {
  const holds =
    is.isVariableDeclaration(declaration) ||
    is.isPropertyAssignment(declaration) ||
    is.isPropertyDeclaration(declaration);
  return holds ? declaration.initializer : undefined;
}

function nameOf(node: Node): string {
  const name = (node as { name?: Node }).name;
  return name && (is.isIdentifier(name) || is.isPrivateIdentifier(name) || is.isStringLiteral(name)) ? name.text : "";
}

/** `createApp`, `Sender.step`, `GET /api/me`, or the closure's name after that of the function it stands in. */
function fullNameOf(node: Node): string {
  const own = is.isConstructorDeclaration(node) ? "constructor" : nameOf(node) || nameOf(node.parent);
  if (own === "handle") {
    const call = node.parent.parent;
    const [path] = is.isCallExpression(call) ? call.arguments : [];
    if (
      is.isCallExpression(call) &&
      is.isPropertyAccessExpression(call.expression) &&
      path &&
      is.isStringLiteral(path)
    ) {
      return `${nameOf(call.expression).toUpperCase()} ${path.text}`;
    }
  }
  for (let outer = node.parent; outer; outer = outer.parent) {
    if (is.isClassDeclaration(outer)) return `${nameOf(outer)}.${own}`;
    if (is.isSourceFile(outer)) break;
  }
  const call = node.parent;
  const isGiven = is.isCallExpression(call) || is.isNewExpression(call);
  return own || (isGiven && is.isIdentifier(call.expression) ? `(given to ${call.expression.text})` : "(unnamed)");
}
