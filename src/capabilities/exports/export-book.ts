/**
 * What a folder of exports holds, in a file of its own: which days are whole, so that they are not written again, and up to which
 * position of the stream each file goes. Where it is lost, everything is written again.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { ConfigError, codeOf, messageOf } from '../../base/kernel/errors.ts';
import { EXPORT_FORMATS, writeWhole } from './export-file.ts';

const BOOK_FILE = 'export.json';

const bookSchema = z.object({
  organisation_id: z.string(),
  format: z.enum(EXPORT_FORMATS),
  /** Columns that can name a person are in the files. */
  personal: z.boolean(),
  /** By path below the folder. */
  files: z.record(
    z.string(),
    z.object({
      rows: z.int(),
      /** The day is over, and what was still under way then has been written. */
      whole: z.boolean(),
      written_at: z.iso.datetime(),
      /** Of the stream: behind the first position, up to the second. */
      positions: z.tuple([z.int(), z.int()]).optional(),
    }),
  ),
});

export type ExportBook = z.infer<typeof bookSchema>;
export type BookedFile = ExportBook['files'][string];

/** @throws {ConfigError} when the folder holds another export than the one that is asked for */
export async function openBook(
  folder: string,
  asked: Omit<ExportBook, 'files'>,
): Promise<ExportBook> {
  const there = await readBook(folder);
  if (there === undefined) return { ...asked, files: {} };
  const other = (['organisation_id', 'format', 'personal'] as const).find(
    (field) => there[field] !== asked[field],
  );
  if (other === undefined) return there;
  throw new ConfigError(
    `${folder} holds an export of another kind: its ${other} is ${there[other]}, and ${asked[other]} was asked for. Give another folder with --out.`,
  );
}

async function readBook(folder: string): Promise<ExportBook | undefined> {
  const path = `${folder}/${BOOK_FILE}`;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}. Check the folder.`, {
      cause: error,
    });
  });
  if (text === undefined) return undefined;
  try {
    return bookSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigError(
      `${path} is not what an export leaves. Delete it to write all days again, or give another folder with --out.`,
      { cause },
    );
  }
}

export async function writeBook(folder: string, book: ExportBook): Promise<void> {
  await writeWhole(`${folder}/${BOOK_FILE}`, async (under) => {
    await writeFile(under, `${JSON.stringify(book, undefined, 1)}\n`);
  });
}
