/**
 * The mark that a copied file carries in a line of its own, the last one at first: which template it
 * came from, in which version, and the checksum of what was copied.
 *
 * With it a file can be moved and renamed, and still be distinguished as untouched, edited or outdated.
 * A JSON file, which knows no comments, carries it in a first member named `x-forestall-template`.
 */
import { createHash } from 'node:crypto';
import { withImportEnding } from './import-ending.ts';

export interface Stamp {
  /** Path under `templates/`. */
  readonly file: string;
  readonly version: string;
  /** Of the text as it was shipped. */
  readonly checksum: string;
}

const MARK = 'forestall-template';
/** A line that holds the mark and nothing else. */
const MARKED_LINE =
  /^(?:\/\/|#|--|<!--| {2}"x-forestall-template": ")\s?forestall-template (\S+) (\S+) sha256:([0-9a-f]{16})(?: -->|",)?$/;

/** Identifies the text of a file, whatever its line ends and the ending of its imports. */
export function checksumOf(text: string, file: string): string {
  const shipped = withImportEnding(text.replaceAll('\r\n', '\n'), file, '.ts');
  return createHash('sha256').update(shipped).digest('hex').slice(0, 16);
}

export function withStamp(text: string, file: string, version: string): string {
  const mark = `${MARK} ${file} ${version} sha256:${checksumOf(text, file)}`;
  if (file.endsWith('.json')) return text.replace(/^\{\r?\n/, `{\n  "x-${MARK}": "${mark}",\n`);
  return `${text.replace(/\n*$/, '\n')}${commented(mark, file)}\n`;
}

function commented(mark: string, file: string): string {
  if (/\.(?:ts|tsx|js|mjs|php)$/.test(file)) return `// ${mark}`;
  if (file.endsWith('.md')) return `<!-- ${mark} -->`;
  if (file.endsWith('.sql')) return `-- ${mark}`;
  return `# ${mark}`;
}

/** What the mark says, and the text without it; undefined when there is none. */
export function readStamp(
  marked: string,
): { readonly stamp: Stamp; readonly text: string } | undefined {
  const lines = marked.replaceAll('\r\n', '\n').split('\n');
  // The last one, wherever it is: lines may have been added after it.
  const place = lines.findLastIndex((line) => MARKED_LINE.test(line));
  const [, file, version, checksum] = MARKED_LINE.exec(lines[place] ?? '') ?? [];
  if (file === undefined || version === undefined || checksum === undefined) return undefined;
  return { stamp: { file, version, checksum }, text: lines.toSpliced(place, 1).join('\n') };
}
