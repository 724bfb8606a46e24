/** The journal of a plan, beside it: one line for each thing a run did, written before the next is done. */
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { ConfigError } from '../../../base/kernel/errors.ts';
import { readIfThere } from './applied-file.ts';
import type { Journal, JournalEntry } from './apply.ts';

const lineSchema = z.strictObject({
  plan: z.string(),
  step: z.int().min(0),
  state: z.enum(['sent', 'done']),
  at_ms: z.number(),
});

/** Opens or creates the journal of the plan with this digest. @throws {ConfigError} for another plan's */
export async function openJournal(path: string, planDigest: string): Promise<Journal> {
  const entries = await readEntries(path, planDigest);
  return {
    entries,
    async write({ step, state, atMs }): Promise<void> {
      const file = await open(path, 'a');
      try {
        await file.write(`${JSON.stringify({ plan: planDigest, step, state, at_ms: atMs })}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}

async function readEntries(path: string, planDigest: string): Promise<JournalEntry[]> {
  const text = await readIfThere(path);
  if (text === undefined) return [];
  // A run that was killed may leave its last line unfinished.
  const lines = text.split('\n').flatMap((line) => {
    const parsed = lineSchema.safeParse(parseLine(line));
    return parsed.success ? [parsed.data] : [];
  });
  if (lines.some(({ plan }) => plan !== planDigest)) {
    throw new ConfigError(
      `${path} belongs to another plan. Move it away, or save the new plan under another name.`,
    );
  }
  return lines.map(({ step, state, at_ms: atMs }) => ({ step, state, atMs }));
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
