/**
 * Types that a program meets in what the package exports and cannot import by name. The declarations that npm
 * would publish are walked from every entry: each name that stands in an exported signature must be exported,
 * by this entry or by another one of the package.
 */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ts } from '@ts-morph/common';

/** A declaration, by its file below the package and its name there. */
type Origin = `${string}#${string}`;

interface Declarations {
  /** Types and values of the file, exported or not. */
  readonly declared: ReadonlyMap<string, readonly ts.Node[]>;
  /** Names from other files of the package, under the name they have here. */
  readonly imported: ReadonlyMap<string, Origin>;
  /** What others may import. */
  readonly exported: ReadonlyMap<string, Origin>;
}

/** `root`: where the package lies. `entries`: declarations below it. Answers `type, needed by what`. */
export function unnamedTypes(root: string, entries: readonly string[]): string[] {
  const files = new Map<string, Declarations>();
  const fileAt = (file: string): Declarations => {
    const known = files.get(file) ?? read(file, readFileSync(posix.join(root, file), 'utf8'));
    files.set(file, known);
    return known;
  };
  const originOf = (origin: Origin): Origin => {
    const [file = '', name = ''] = origin.split('#');
    const { declared, exported, imported } = fileAt(file);
    const elsewhere = declared.has(name) ? undefined : (exported.get(name) ?? imported.get(name));
    return elsewhere === undefined || elsewhere === origin ? origin : originOf(elsewhere);
  };
  const named = new Set(
    entries.flatMap((entry) => [...fileAt(entry).exported.values()].map(originOf)),
  );
  const unnamed = new Set<string>();
  for (const origin of named) {
    const [file = '', name = ''] = origin.split('#');
    const { declared, imported } = fileAt(file);
    for (const used of (declared.get(name) ?? []).flatMap((node) => [...namesIn(node)])) {
      const local: Origin | undefined = declared.has(used) ? `${file}#${used}` : imported.get(used);
      // What is neither declared here nor imported from the package is the language's or another package's.
      if (local === undefined || named.has(originOf(local))) continue;
      unnamed.add(`${originOf(local)}, needed by ${name}`);
    }
  }
  return [...unnamed].sort();
}

function read(file: string, text: string): Declarations {
  const found: Found = {
    file,
    declared: new Map<string, ts.Node[]>(),
    imported: new Map<string, Origin>(),
    exported: new Map<string, Origin>(),
  };
  for (const node of ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements) {
    if (ts.isImportDeclaration(node)) readImport(node, found);
    else if (ts.isExportDeclaration(node)) readExport(node, found);
    else if (ts.isVariableStatement(node)) {
      for (const declaration of node.declarationList.declarations)
        declare((declaration.name as ts.Identifier).text, declaration, { node, found });
    } else if ('name' in node) {
      const owner = node as ts.InterfaceDeclaration;
      declare(owner.name.text, node, { node: owner, found });
    }
  }
  return found;
}

interface Found {
  readonly file: string;
  readonly declared: Map<string, ts.Node[]>;
  readonly imported: Map<string, Origin>;
  readonly exported: Map<string, Origin>;
}

/** Overloads are declared under one name. `node`: the statement, which says whether it is exported. */
function declare(
  name: string,
  declaration: ts.Node,
  { node, found }: { readonly node: ts.HasModifiers; readonly found: Found },
): void {
  found.declared.set(name, [...(found.declared.get(name) ?? []), declaration]);
  if (isExported(node)) found.exported.set(name, `${found.file}#${name}`);
}

function readImport(node: ts.ImportDeclaration, { file, imported }: Found): void {
  const from = fileOf(file, node.moduleSpecifier);
  const bindings = node.importClause?.namedBindings;
  if (from === undefined || bindings === undefined || !ts.isNamedImports(bindings)) return;
  for (const { name, propertyName = name } of bindings.elements)
    imported.set(name.text, `${from}#${propertyName.text}`);
}

function readExport(node: ts.ExportDeclaration, { file, exported }: Found): void {
  const from = node.moduleSpecifier && fileOf(file, node.moduleSpecifier);
  if (node.exportClause === undefined || !ts.isNamedExports(node.exportClause))
    throw new Error(`${file} exports what it does not name.`);
  for (const { name, propertyName = name } of node.exportClause.elements)
    exported.set(name.text, `${from ?? file}#${propertyName.text}`);
}

function isExported(node: ts.HasModifiers): boolean {
  return ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/** A file of the package; undefined for another package. */
function fileOf(file: string, specifier: ts.Expression): string | undefined {
  const { text } = specifier as ts.StringLiteral;
  if (!text.startsWith('.')) return undefined;
  return posix.join(posix.dirname(file), text).replace(/\.[jt]s$/, '.d.ts');
}

/** Types of other packages that compute a type without a name: what they compute it from is not met. */
const COMPUTED = new Set(['Selectable']);

/** The names of types that a declaration uses, its own parameters and private members left out. */
function* namesIn(node: ts.Node, parameters: ReadonlySet<string> = new Set()): Generator<string> {
  const own = (node as { typeParameters?: readonly ts.TypeParameterDeclaration[] }).typeParameters;
  const inner = new Set([...parameters, ...(own ?? []).map(({ name }) => name.text)]);
  if (ts.isMappedTypeNode(node)) inner.add(node.typeParameter.name.text);
  if (ts.isInferTypeNode(node)) inner.add(node.typeParameter.name.text);
  if (ts.isTypeReferenceNode(node)) {
    if (ts.isIdentifier(node.typeName) && COMPUTED.has(node.typeName.text)) return;
    yield* firstOf(node.typeName, inner);
  }
  if (ts.isExpressionWithTypeArguments(node) && ts.isIdentifier(node.expression))
    yield* firstOf(node.expression, inner);
  if (isPrivate(node)) return;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* namesIn(child, inner);
}

function* firstOf(name: ts.EntityName, parameters: ReadonlySet<string>): Generator<string> {
  const first = ts.isIdentifier(name) ? name : name.left;
  if (ts.isIdentifier(first) && !parameters.has(first.text)) yield first.text;
}

function isPrivate(node: ts.Node): boolean {
  if (!ts.canHaveModifiers(node)) return false;
  return ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true;
}
