/**
 * Looks for a person in a file, line by line: a dump of the database in plain SQL (by table and column), a log, anything
 * of text; also packed with gzip. Says where and how often, never what.
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Person } from '../../base/seal/person.ts';
import { isNamedIn } from '../../base/seal/redact.ts';

/** What begins a table's rows in a dump. */
const COPY = /^COPY (\S+) \((.*)\) FROM stdin;$/;

/** The table whose rows are being listed. */
interface Copying {
  readonly table: string;
  readonly columns: readonly string[];
}

/** How many lines, or values of a dump, name the person: by `table.column`, and `line` elsewhere. */
export async function lookInFile(
  path: string,
  person: Person,
): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  let copying: Copying | undefined;
  for await (const line of await linesOf(path)) {
    if (copying !== undefined && line === '\\.') {
      copying = undefined;
      continue;
    }
    const begun = copying === undefined ? COPY.exec(line) : null;
    if (begun !== null) copying = copyOf(begun);
    else
      for (const name of namedPlaces(line, copying, person)) found[name] = (found[name] ?? 0) + 1;
  }
  return found;
}

function copyOf([, table = '', columns = '']: RegExpExecArray): Copying {
  return {
    table: table.replace(/^(?:"(?:[^"]|"")+"|[^."]+)\./, ''),
    columns: columns.split(', ').map((name) => name.replaceAll('"', '')),
  };
}

function namedPlaces(line: string, copying: Copying | undefined, person: Person): string[] {
  if (copying === undefined) return isNamedIn(Buffer.from(line), person) ? ['line'] : [];
  return line.split('\t').flatMap((field, index) => {
    const place = `${copying.table}.${copying.columns[index] ?? index + 1}`;
    return isNamedIn(fieldValue(field), person) ? [place] : [];
  });
}

/** A field of a dump as the bytes that it holds. */
function fieldValue(field: string): Buffer {
  const text = field.replaceAll(/\\(.)/g, (_whole, letter: string) => CONTROLS[letter] ?? letter);
  return /^\\x(?:[0-9a-f]{2})*$/.test(text) ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text);
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

const PACKED_DUMP = 'PGDMP';

/** @throws {ConfigError} for a file that is not there, or holds a dump that only pg_restore can read */
async function linesOf(path: string): Promise<AsyncIterable<string>> {
  const head = await headOf(path);
  if (head.toString('latin1') === PACKED_DUMP) {
    throw new ConfigError(
      `${path} is a packed dump. Unpack it first: pg_restore -f plain.sql ${path}`,
    );
  }
  const file = createReadStream(path);
  const input = head[0] === 0x1f && head[1] === 0x8b ? file.pipe(createGunzip()) : file;
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

async function headOf(path: string): Promise<Buffer> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(PACKED_DUMP.length) });
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new ConfigError(`${path} cannot be read. Check the path.`, { cause: error });
  }
}
