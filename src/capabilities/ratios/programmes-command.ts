/** `forestall programmes …`: the rules of the schemes' monitoring programmes, with their dates and sources. No database. */
import { InvalidArgumentError } from 'commander';
import { nowIso } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { plainJson } from '../../base/kernel/shown-text.ts';
import type { CapabilityCommand, Found, SettingsContext } from '../../surface/terminal/command.ts';
import { describeSettingsCommand } from '../../surface/terminal/command.ts';
import { openProgrammes } from './monitoring.ts';
import type { Programme } from './programme.ts';
import { programmeJsonSchema } from './programme.ts';
import { checkRuleBase, factsOf, programmesOn } from './rule-base.ts';
import { monitoring } from './settings.ts';
import { lineText } from './words.ts';

interface ListFlags {
  readonly on?: string;
  readonly region?: string;
  readonly all?: boolean;
}

const listed = describeSettingsCommand<ListFlags>({
  usage: 'programmes list',
  says: 'the monitoring programmes in force, with their lines',
  isDefault: true,
  options: (command) =>
    command
      .option('--on <day>', 'on another day than today, YYYY-MM-DD', readDay)
      .option('--region <region>', 'of the acquirer, instead of FORESTALL_MONITORING_REGION')
      .option('--all', 'of every date'),
  examples: ['forestall programmes list --all', 'forestall programmes list --json'],
  run: (flags) => async (context) => list(context, flags),
});

const shown = describeSettingsCommand({
  usage: 'programmes show <id>',
  says: 'one file: every number, with its source and how sure it is',
  examples: ['forestall programmes show vamp-2026-04'],
  run:
    (_flags, id = '') =>
    async ({ settings }) =>
      show(settings.of(monitoring).programmes, id),
});

const checked = describeSettingsCommand({
  usage: 'programmes check [folder]',
  says: 'checks files of your own together with ours: that of FORESTALL_MONITORING, or another',
  examples: ['forestall programmes check programmes/'],
  run:
    (_flags, folder) =>
    async ({ settings }) =>
      check(folder === undefined ? settings.of(monitoring).programmes : openProgrammes(folder)),
});

const schema = describeSettingsCommand({
  usage: 'programmes schema',
  says: 'prints the JSON Schema of such a file, for your editor',
  isFile: true,
  examples: ['forestall programmes schema > programme.schema.json'],
  run: () => async () => ({ file: `${plainJson(programmeJsonSchema())}\n` }),
});

export const programmesCommands: readonly CapabilityCommand[] = [listed, shown, checked, schema];

function readDay(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isDay) throw new InvalidArgumentError('Give a day like 2026-04-01.');
  return text;
}

function list({ clock, settings }: SettingsContext, flags: ListFlags): Found {
  const { programmes, region: own } = settings.of(monitoring);
  const region = flags.region ?? own;
  const today = nowIso(clock).slice(0, 10);
  const data =
    flags.all === true ? programmes : programmesOn(programmes, flags.on ?? today, region);
  return { data, text: data.map(headText).join('\n') };
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

function show(programmes: readonly Programme[], id: string): Found {
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
  const text = [
    headText(programme),
    ...facts,
    ...(not_known === undefined ? [] : [`  not known: ${not_known}`]),
    ...(note === undefined ? [] : [`  ${note}`]),
  ].join('\n');
  return { data: programme, text };
}

function check(programmes: readonly Programme[]): Found {
  const { faults, notes } = checkRuleBase(programmes);
  const summary = `${programmes.length} files, ${faults.length} faults, ${notes.length} without a source.`;
  return {
    data: { files: programmes.map(({ id }) => id), faults, notes },
    text: [...faults, ...notes, summary].join('\n'),
    isWrong: faults.length > 0,
  };
}
