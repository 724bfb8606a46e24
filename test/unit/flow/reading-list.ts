/**
 * What a reviewer reads to be sure of one refund per complaint: `node test/unit/flow/reading-list.ts [--src FOLDER] [--list]`.
 *
 * The rule: from the steps that send money, repeat it, or answer for it, every file that they load, with what that loads, as
 * long as it is a stage of the alert (`alerts/`). Left out is what cannot send a second refund whatever it does: types, tables,
 * foundations (`base/`, `service/`, `orders/`), words for people and the service, what only tells (`tell-*.ts`), and `guard/`,
 * which can only stop one. A comment, and a blank line, is a line that is read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Where money leaves, is asked for again, or is answered for. */
const ENTRIES = ['alerts/refund/refund-steps.ts', 'alerts/refund/movement-runner.ts'] as const;

/** Not read: what moves no money and decides about none. */
const LEFT_OUT = [
  /\.table\.ts$/,
  /^alerts\/guard\//,
  /\/(?:notify|sentences|hold-reason|answer-notes|tell-)[^/]*\.ts$/,
];

/** What is to be read. */
export interface ReadingList {
  /** Below the sources, in their order. */
  readonly files: readonly string[];
  readonly lines: number;
}

/** Of the sources in a folder. @throws Error when an entry does not stand there */
export function readingList(src: string): ReadingList {
  const found = new Map<string, number>();
  const ahead: string[] = ENTRIES.map((entry) => resolve(src, entry));
  for (const file of ahead) {
    if (found.has(file)) continue;
    if (!existsSync(file)) throw new Error(`There is no ${file}.`);
    const text = readFileSync(file, 'utf8');
    found.set(file, text.split('\n').length - 1);
    for (const imported of importsOf(text)) {
      const target = resolve(join(dirname(file), imported));
      if (isRead(relative(src, target))) ahead.push(target);
    }
  }
  const files = [...found.keys()].map((file) => relative(src, file)).sort();
  return { files, lines: [...found.values()].reduce((sum, lines) => sum + lines, 0) };
}

function isRead(file: string): boolean {
  return file.startsWith('alerts/') && !LEFT_OUT.some((pattern) => pattern.test(file));
}

/** What it loads; types are not loaded. */
export function importsOf(text: string): readonly string[] {
  const found = text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)';/gm);
  return [...found].map(([, path = '']) => path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { src: { type: 'string' }, list: { type: 'boolean' } },
  });
  const own = fileURLToPath(new URL('../../../src', import.meta.url));
  const { files, lines } = readingList(resolve(values.src ?? own));
  if (values.list === true) process.stdout.write(`${files.join('\n')}\n`);
  process.stdout.write(`${files.length} files, ${lines} lines\n`);
}
