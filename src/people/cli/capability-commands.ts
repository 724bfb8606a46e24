/** The commands of capabilities, made from their descriptions: each opens what it works on, prints, and ends. */
import type { Command } from 'commander';
import { systemClock } from '../../base/kernel/clock.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import { EVENT_KINDS } from '../../capabilities/event-kinds.ts';
import { readCommandSettings } from '../../running/config.ts';
import type { Found, ListedCommands, Performers } from '../../surface/terminal/command.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print, printJsonLine, say } from '../../surface/terminal/print.ts';
import { noteExamples } from './help.ts';
import { runCommand, runOn } from './lifecycle.ts';
import { openRunning } from './running.ts';

const PERFORMERS: Performers = {
  async onDatabase(flags, work): Promise<void> {
    await runOn(openRunning, async (context) =>
      show(flags, await work({ ...context, eventKinds: EVENT_KINDS })),
    );
  },
  async onSettings(flags, work): Promise<void> {
    await runCommand(async () => {
      const settings = openSettings(readCommandSettings().given);
      await show(flags, await work({ clock: systemClock, settings, eventKinds: EVENT_KINDS }));
    });
  },
};

async function show(flags: { readonly json?: boolean }, found: Found): Promise<void> {
  if ('file' in found) process.stdout.write(found.file);
  else if ('lines' in found) {
    for await (const { data, text } of found.lines) {
      if (flags.json !== true) say(text);
      else if (data !== undefined) printJsonLine(data);
    }
  } else {
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
