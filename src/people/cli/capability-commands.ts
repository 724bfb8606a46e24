/** The commands of capabilities, made from their descriptions: each opens the running installation, prints, and ends. */
import type { Command } from 'commander';
import type { ListedCommands, Perform } from '../../surface/terminal/command.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print } from '../../surface/terminal/print.ts';
import { noteExamples } from './help.ts';
import { runOn } from './lifecycle.ts';
import { openRunning } from './running.ts';

const perform: Perform = async (flags, work) => {
  await runOn(openRunning, async (context) => {
    const found = await work(context);
    if ('file' in found) process.stdout.write(found.file);
    else {
      print(flags, found.data, found.text);
      if (found.isWrong === true) process.exitCode = EXIT.wrong;
    }
  });
};

export async function registerListed(program: Command, { load }: ListedCommands): Promise<void> {
  for (const { path, examples, register } of await load()) {
    register(program, perform);
    noteExamples(path, examples);
  }
}
