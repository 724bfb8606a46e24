/** The commands of capabilities, made from their descriptions: each opens what it works on, prints, and ends. */
import type { Command } from 'commander';
import { systemClock } from '../../base/kernel/clock.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import { EVENT_KINDS } from '../../capabilities/event-kinds.ts';
import { CAPABILITY_TABLES, replayReaders } from '../../capabilities/index.ts';
import { readCommandSettings, readInstallationPath, readVariables } from '../../running/config.ts';
import { readOrganisations } from '../../running/installation/installation-watcher.ts';
import type {
  CommandContext,
  Found,
  InstallationContext,
  ListedCommands,
  Performers,
} from '../../surface/terminal/command.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print, printJsonLine, say, sayOnStderr } from '../../surface/terminal/print.ts';
import { noteExamples } from './help.ts';
import { runCommand, runOn, tellFailure } from './lifecycle.ts';
import { openPartner } from './open-partner.ts';
import { findRunning, openRunning } from './running.ts';

const PERFORMERS: Performers = {
  async onDatabase(flags, work): Promise<void> {
    await runOn(openRunning, async (context) => show(flags, await work(contextOf(context))));
  },
  async onSettings(flags, work): Promise<void> {
    await runCommand(async () => {
      const settings = openSettings(readCommandSettings().given);
      await show(flags, await work({ clock: systemClock, settings, eventKinds: EVENT_KINDS }));
    });
  },
  async onPartner(flags, work): Promise<void> {
    try {
      await show(flags, await work({ ...openPartner(), eventKinds: EVENT_KINDS, onRows }));
    } catch (error) {
      tellFailure(error);
      process.exitCode = EXIT.wrong;
    }
  },
  async onInstallation(flags, work): Promise<void> {
    await runCommand(async () => await show(flags, await work(installationContext())));
  },
};

function installationContext(): InstallationContext {
  const { databaseUrl, database } = readCommandSettings();
  return {
    listed(): ReturnType<InstallationContext['listed']> {
      const file = readInstallationPath();
      return file === undefined ? [] : readOrganisations(file, readVariables());
    },
    findDatabase: async () =>
      databaseUrl === undefined
        ? (await findRunning()).connectionString
        : (database.directUrl ?? databaseUrl),
    schema: database.schema,
    tables: CAPABILITY_TABLES,
  };
}

function contextOf(opened: Awaited<ReturnType<typeof openRunning>>): CommandContext {
  return {
    ...opened,
    eventKinds: EVENT_KINDS,
    readPolicy: async (path) => await (await import('./read-policy.ts')).readAnyPolicy(path),
    readers: () => replayReaders(opened),
  };
}

async function onRows<Result>(work: (context: CommandContext) => Promise<Result>): Promise<Result> {
  const context = await openRunning();
  try {
    return await work(contextOf(context));
  } finally {
    await context.close();
  }
}

async function show(flags: { readonly json?: boolean }, found: Found): Promise<void> {
  if ('file' in found) process.stdout.write(found.file);
  else if ('lines' in found) {
    for await (const line of found.lines) {
      if (flags.json !== true) say(line.text);
      else if (line.data !== undefined) printJsonLine(line.data);
      end(line);
    }
  } else {
    print(flags, found.data, found.text);
    if (found.onStderr !== undefined) sayOnStderr(found.onStderr);
    end(found);
  }
}

function end({
  isWrong = false,
  isChanged = false,
}: {
  readonly isWrong?: boolean;
  readonly isChanged?: boolean;
}): void {
  if (isWrong) process.exitCode = EXIT.wrong;
  else if (isChanged) process.exitCode = EXIT.changes;
}

export async function registerListed(program: Command, { load }: ListedCommands): Promise<void> {
  for (const { path, examples, register } of await load()) {
    register(program, PERFORMERS);
    noteExamples(path, examples);
  }
}
