/** The commands of capabilities, made from their descriptions: each opens what it works on, prints, and ends. */
import type { Command } from 'commander';
import { systemClock } from '../../base/kernel/clock.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import { readCommandSettings } from '../../running/config.ts';
import type { Found, ListedCommands, Performers } from '../../surface/terminal/command.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print } from '../../surface/terminal/print.ts';
import { noteExamples } from './help.ts';
import { runCommand, runOn } from './lifecycle.ts';
import { openRunning } from './running.ts';

const PERFORMERS: Performers = {
  async onDatabase(flags, work): Promise<void> {
    await runOn(openRunning, async (context) => show(flags, await work(context)));
  },
  async onSettings(flags, work): Promise<void> {
    await runCommand(async () => {
      const settings = openSettings(readCommandSettings().given);
      show(flags, await work({ clock: systemClock, settings }));
    });
  },
};

function show(flags: { readonly json?: boolean }, found: Found): void {
  if ('file' in found) process.stdout.write(found.file);
  else {
    print(flags, found.data, found.text);
    if (found.beside !== undefined) console.error(found.beside);
    if (found.isWrong === true) process.exitCode = EXIT.wrong;
  }
}

export async function registerListed(program: Command, { load }: ListedCommands): Promise<void> {
  for (const { path, examples, register } of await load()) {
    register(program, PERFORMERS);
    noteExamples(path, examples);
  }
}
