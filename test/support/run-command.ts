/** Runs a command of `forestall` in the test's own process. */
import { Command } from 'commander';
import { vi } from 'vitest';

/** What a command left. */
export interface CommandRun {
  readonly out: string;
  readonly error: string;
  /** Both, in their order. */
  readonly printed: string;
  readonly status: number;
}

/** `register`: adds the command. Its exit status stays in `process.exitCode` too: put it back after the test. */
export async function runCommand(
  register: (program: Command) => void,
  words: readonly string[],
): Promise<CommandRun> {
  const lines: { readonly to: 'log' | 'error'; readonly text: string }[] = [];
  const spies = (['log', 'error'] as const).map((to) =>
    vi.spyOn(console, to).mockImplementation((text) => void lines.push({ to, text: String(text) })),
  );
  process.exitCode = undefined;
  try {
    const program = new Command('forestall').exitOverride();
    register(program);
    await program.parseAsync(['node', 'forestall', ...words]);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  const textOf = (wanted: readonly string[]): string =>
    lines.flatMap(({ to, text }) => (wanted.includes(to) ? [text] : [])).join('\n');
  return {
    out: textOf(['log']),
    error: textOf(['error']),
    printed: textOf(['log', 'error']),
    status: Number(process.exitCode ?? 0),
  };
}
