/** `forestall programmes …`: the rules of the schemes' monitoring programmes, with their dates and sources. No database. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import { openMonitoring, openProgrammes } from './monitoring.ts';
import type { Programme } from './programme.ts';
import { programmeJsonSchema } from './programme.ts';
import { checkRuleBase, factsOf, programmesOn } from './rule-base.ts';
import { lineText } from './words.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import { costs } from '../../books/costs/setting.ts';
import { readCommandSettings } from '../../running/config.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print, printJson } from '../../surface/terminal/print.ts';
import { runCommand } from '../../people/cli/lifecycle.ts';

interface ListFlags {
  readonly on?: string;
  readonly region?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function registerProgrammes(program: Command): void {
  const programmes = program.command('programmes');
  programmes
    .command('list', { isDefault: true })
    .description('the monitoring programmes in force, with their lines')
    .option('--on <day>', 'on another day than today, YYYY-MM-DD', readDay)
    .option('--region <region>', 'of the acquirer, instead of FORESTALL_MONITORING_REGION')
    .option('--all', 'of every date')
    .option('--json', 'print JSON')
    .action(async (flags: ListFlags) => {
      await runCommand(async () => list(flags));
    });
  programmes
    .command('show <id>')
    .description('one file: every number, with its source and how sure it is')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: { readonly json?: boolean }) => {
      await runCommand(async () => show(id, flags));
    });
  programmes
    .command('check [folder]')
    .description(
      'checks files of your own together with ours: that of FORESTALL_MONITORING, or another',
    )
    .option('--json', 'print JSON')
    .action(async (folder: string | undefined, flags: { readonly json?: boolean }) => {
      await runCommand(async () => check(folder, flags));
    });
  programmes
    .command('schema')
    .description('prints the JSON Schema of such a file, for your editor')
    .action(() => printJson(programmeJsonSchema()));
}

function readDay(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isDay) throw new InvalidArgumentError('Give a day like 2026-04-01.');
  return text;
}

function openSet(): ReturnType<typeof openMonitoring> {
  const { monitoring, given } = readCommandSettings();
  return openMonitoring(monitoring, openSettings(given).of(costs));
}

function list(flags: ListFlags): void {
  const { programmes, region: own } = openSet();
  const region = flags.region ?? own;
  const today = new Date().toISOString().slice(0, 10);
  const shown =
    flags.all === true ? programmes : programmesOn(programmes, flags.on ?? today, region);
  print(flags, shown, shown.map(headText).join('\n'));
}

function headText({ id, name, scheme, valid_from, valid_to, regions, lines }: Programme): string {
  const until = valid_to == null ? '' : ` until ${valid_to}`;
  const where = regions === undefined ? '' : `, ${regions.join(' ')}`;
  const what =
    lines.length === 0
      ? 'its numbers are not known'
      : lines.map((line) => `${line.name} ${lineText(line)}`).join('; ');
  return `${id}: ${name}, ${scheme}, from ${valid_from}${until}${where}: ${what}`;
}

function show(id: string, flags: { readonly json?: boolean }): void {
  const { programmes } = openSet();
  const programme = programmes.find((each) => each.id === id);
  if (programme === undefined) {
    throw new ConfigError(
      `There is no file ${id}. There are: ${programmes.map((each) => each.id).join(', ')}.`,
    );
  }
  const facts = factsOf(programme).map(
    ({ what, value, confidence = 'no source named', source }) =>
      `  ${what}: ${value}\n    ${confidence}${source === undefined ? '' : `: ${source}`}`,
  );
  const { not_known, note } = programme;
  print(
    flags,
    programme,
    [
      headText(programme),
      ...facts,
      ...(not_known === undefined ? [] : [`  not known: ${not_known}`]),
      ...(note === undefined ? [] : [`  ${note}`]),
    ].join('\n'),
  );
}

function check(folder: string | undefined, flags: { readonly json?: boolean }): void {
  const programmes = folder === undefined ? openSet().programmes : openProgrammes(folder);
  const { faults, notes } = checkRuleBase(programmes);
  const summary = `${programmes.length} files, ${faults.length} faults, ${notes.length} without a source.`;
  print(
    flags,
    { files: programmes.map(({ id }) => id), faults, notes },
    [...faults, ...notes, summary].join('\n'),
  );
  if (faults.length > 0) process.exitCode = EXIT.wrong;
}
