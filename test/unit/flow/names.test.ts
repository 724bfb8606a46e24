/**
 * Guarantee: no variable and no parameter is called `of`, `it`, `told` or `seen`. Such a name says nothing of what it
 * holds, and in a long function a reader has to look it up at each place.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Node } from 'typescript/unstable/ast';
import {
  isBindingElement,
  isIdentifier,
  isParameterDeclaration,
  isVariableDeclaration,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../../src/', import.meta.url));

/** Rooms that still hold such names; an empty list takes all of `src`. */
const LEFT_OUT: readonly string[] = [];

const NAMES: ReadonlySet<string> = new Set(['of', 'it', 'told', 'seen']);

/** What a declaration of such a name looks like; other texts look like it too, and the compiler tells them apart. */
const CANDIDATE =
  /\b(?:(?:const|let|var)\s+(?:of|it|told|seen)\b|(?:of|it|told|seen)\s*[,:)}\]=?])/;

/** The declarations of these names in these files, as `file:line name`. */
function declarations(files: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'names-'));
  const config = join(folder, 'tsconfig.json');
  // Parsed only: without libraries, types and imports nothing else is read.
  const compilerOptions = { noLib: true, noResolve: true, types: [] };
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const compiler = new API();
  try {
    const [project] = compiler.updateSnapshot({ openProjects: [config] }).getProjects();
    return files.flatMap((file) => {
      const source = project?.program.getSourceFile(file);
      if (source === undefined) throw new Error(`${file} was not parsed`);
      const found: string[] = [];
      const walk = (node: Node): void => {
        const isNamed =
          isVariableDeclaration(node) || isParameterDeclaration(node) || isBindingElement(node);
        if (
          isNamed &&
          node.name !== undefined &&
          isIdentifier(node.name) &&
          NAMES.has(node.name.text)
        ) {
          const line = source.text.slice(0, node.name.getStart(source)).split('\n').length;
          found.push(`${file.slice(src.length)}:${line} ${node.name.text}`);
        }
        node.forEachChild(walk);
      };
      walk(source);
      return found;
    });
  } finally {
    compiler.close();
    rmSync(folder, { recursive: true });
  }
}

it('no variable or parameter has a name that says nothing', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !LEFT_OUT.some((room) => file.startsWith(`${room}/`)))
    .map((file) => join(src, file));
  expect(files.length).toBeGreaterThan(500);
  const suspects = files.filter((file) => CANDIDATE.test(readFileSync(file, 'utf8')));
  expect(declarations(suspects)).toEqual([]);
});

it('control: such names are found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'names-'));
  const file = join(folder, 'planted.ts');
  writeFileSync(
    file,
    'const of = 1;\nfunction sum({ seen: told }: { seen: number }, [it]: number[]): void {}\nfor (const seen of []) {}\n',
  );
  try {
    expect(CANDIDATE.test(readFileSync(file, 'utf8'))).toBe(true);
    expect(declarations([file]).map((found) => found.split(':').at(-1))).toEqual([
      '1 of',
      '2 told',
      '2 it',
      '3 seen',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
