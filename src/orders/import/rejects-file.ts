/**
 * The file of rejected lines: one JSON object per line with its number, reference and reasons,
 * never the order itself, which may hold personal data that must not be left in a file.
 */
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';

/** One rejected line. */
export interface Reject {
  readonly line: number;
  readonly referenceId: string | null;
  readonly reasons: readonly string[];
}

/** Writes rejects. */
export interface RejectsFile {
  readonly path: string;
  /** Appends rejects, sorted by line; lines written before are passed over. */
  add(rejects: readonly Reject[]): Promise<void>;
}

/**
 * Opens the file. A fresh import begins an empty one; a resumed one keeps what concerns the lines
 * already done, so that lines done twice are not listed twice.
 */
export async function openRejects(path: string, linesDone: number): Promise<RejectsFile> {
  const kept = linesDone === 0 ? [] : await keptLines(path, linesDone);
  if (kept.length > 0) await writeFile(path, `${kept.join('\n')}\n`);
  else await rm(path, { force: true });
  let lastLine = linesDone;
  return {
    path,
    add: async (rejects): Promise<void> => {
      // A transaction that is run again brings the same lines again.
      const fresh = rejects.filter(({ line }) => line > lastLine);
      lastLine = fresh.at(-1)?.line ?? lastLine;
      if (fresh.length === 0) return;
      const lines = fresh.map(({ line, referenceId, reasons }) =>
        JSON.stringify({ line, reference_id: referenceId, reasons }),
      );
      await appendFile(path, `${lines.join('\n')}\n`);
    },
  };
}

async function keptLines(path: string, linesDone: number): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => {
    const match = /^\{"line":(\d+),/.exec(line);
    return match !== null && Number(match[1]) <= linesDone;
  });
}
