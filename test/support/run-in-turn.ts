/**
 * Runs commands of `forestall` that end by themselves, all of them in one process beside the test's: each would take
 * most of its second for loading.
 */
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnv } from './child-env.ts';
import { spawn } from './child-process.ts';

/** A command with its settings. */
export interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a command left. */
export interface Left {
  readonly code: number;
  /** Both outputs, in their order. */
  readonly text: string;
}

const CHILD = fileURLToPath(new URL('commands-in-turn.ts', import.meta.url));
const END = /\0ended with (\d+)\n/;

/** Stands after what a command printed. */
export function endLine(code: number | string | null | undefined): string {
  return `\0ended with ${code}\n`;
}

/** `cwd`: where they run. They have no settings but these. */
export async function runInTurn(
  calls: readonly Call[],
  { cwd }: { readonly cwd: string },
): Promise<readonly Left[]> {
  const folder = mkdtempSync(join(tmpdir(), 'forestall-in-turn-'));
  const output = openSync(join(folder, 'output'), 'a+');
  try {
    const child = spawn(process.execPath, [CHILD, JSON.stringify(calls)], {
      cwd,
      env: { ...childEnv(), HOME: cwd },
      stdio: ['ignore', output, output],
    });
    const [status] = await once(child, 'close');
    const parts = readFileSync(join(folder, 'output'), 'utf8').split(END);
    const rest = parts.pop();
    if (status !== 0 || rest !== '') throw new Error(`It ended with ${status}: ${rest}`);
    return calls.map((_call, place) => ({
      text: parts[2 * place] ?? '',
      code: Number(parts[2 * place + 1]),
    }));
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true });
  }
}
