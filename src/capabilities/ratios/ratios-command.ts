/** `forestall ratios …`: the state of the schemes' monitoring programmes, the acquirer's numbers. */

import { basename } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { CapabilityCommand, CommandContext, Found } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { readUpload } from '../../surface/terminal/named-file.ts';
import type { LineState } from './assess.ts';
import type { Cockpit, ProgrammeView, ReadingView, ReportedView } from './cockpit.ts';
import { readCockpit } from './cockpit.ts';
import { cockpitDeps } from './cockpit-deps.ts';
import { monthsUntil } from './months.ts';
import { SCOPES } from './programme.ts';
import { storeReported } from './reported.store.ts';
import type { ReportedRead } from './reported.ts';
import { readReportedCsv, readReportedRow } from './reported.ts';
import { readOccurrences } from './roll-up.store.ts';
import type { Scope } from './scope.ts';
import { readEnrolmentRules, scopeOf } from './scope.ts';
import {
  arithmeticText,
  forecastText,
  insideText,
  lineText,
  monthWords,
  numberText,
  openText,
  otherDatingText,
  percentText,
  reportedBeyond,
  reportedText,
  scopeWords,
} from './words.ts';

interface ShowFlags {
  readonly of?: readonly [Scope['kind'], string];
}

interface ReportFlags {
  readonly of?: readonly [Scope['kind'], string];
  readonly origin?: string;
}

/** Whose name is in the audit log. */
const ACTOR = 'cli';

const shown = describeCommand<ShowFlags>({
  usage: 'ratios show',
  says: 'count, base, ratio and what is ahead, for every programme in force',
  isDefault: true,
  options: (command) =>
    command.option(
      '--of <scope>',
      'merchant:<id>, submerchant:, descriptor: or enrolment:',
      readScope,
    ),
  examples: ['forestall ratios show --of merchant:mrch_01h8xyz', 'forestall ratios show --json'],
  run: (flags) => (context) => show(context, flags),
});

const reported = describeCommand<ReportFlags>({
  usage: 'ratios report <number...>',
  says: 'types in one number of your acquirer: month, scheme, measure and value',
  options: (command) =>
    command
      .option('--of <scope>', 'of less than the organisation', readScope)
      .option('--origin <text>', 'where it stands'),
  examples: ['forestall ratios report 2026-10 SCHEME_A payments 120340'],
  run: (flags, ...given) => {
    const [month, scheme, measure, value, ...rest] = given.flat();
    const [scope, id] = flags.of ?? ['organisation', ''];
    const row = { month, scheme, measure, value, scope, scope_id: id, origin: flags.origin };
    const read = readReportedRow(row, { origin: 'typed in' });
    const tooMany = {
      ok: false,
      faults: ['Give four words: month, scheme, measure, value.'],
    } as const;
    return (context) => store(context, rest.length > 0 ? tooMany : read);
  },
});

const imported = describeCommand({
  usage: 'ratios import <file>',
  says: 'takes a CSV of your acquirer’s numbers: month,scheme,measure,value',
  examples: ['forestall ratios import statement.csv'],
  run: (_flags, file = '') => {
    const read = readReportedCsv(readUpload(file), basename(file));
    return (context) => store(context, read);
  },
});

export const ratiosCommands: readonly CapabilityCommand[] = [shown, reported, imported];

function readScope(text: string): readonly [Scope['kind'], string] {
  const [kind = '', ...rest] = text.split(':');
  const known = SCOPES.find((each) => each === kind && each !== 'organisation');
  if (known === undefined || rest.join(':') === '') {
    throw new InvalidArgumentError(
      'Give merchant:<id>, submerchant:<id>, descriptor:<text> or enrolment:<id>.',
    );
  }
  return [known, rest.join(':')];
}

async function show(
  { db, clock, organisationId, brands, settings }: CommandContext,
  flags: ShowFlags,
): Promise<Found> {
  const now = nowDate(clock);
  const deps = cockpitDeps({ db, organisationId, brands, settings });
  const [from] = monthsUntil(now, 13);
  const [rules, occurrences] = await Promise.all([
    readEnrolmentRules(db, organisationId),
    readOccurrences(db, organisationId, `${from}-01`),
  ]);
  const scope = scopeOf(...(flags.of ?? ['organisation', '']), { rules, occurrences });
  if (scope === undefined) {
    throw new ConfigError(
      'No payment, notice or enrolment names it. The page Ratios lists what there is.',
    );
  }
  const cockpit = await readCockpit(deps, scope, now);
  return { data: cockpit, text: showCockpit(cockpit) };
}

async function store(
  { db, clock, organisationId }: CommandContext,
  read: ReportedRead,
): Promise<Found> {
  if (!read.ok) throw new ConfigError(`Nothing was stored.\n${read.faults.join('\n')}`);
  await storeReported(db, read.rows, { organisationId, by: ACTOR, now: nowDate(clock) });
  return { data: { stored: read.rows.length }, text: `${read.rows.length} stored.` };
}

/** What the command prints. */
export function showCockpit(cockpit: Cockpit): string {
  const { scope, programmes, past, months, coming } = cockpit;
  const head = `Ratios of ${scopeWords(scope)}, ${monthWords(months.at(-1) ?? '')}`;
  const earlier = past.flatMap(({ programme, reported }) =>
    reported.map(
      (month) => `${programme.name}, until ${programme.valid_to}: ${reportedText(month)}`,
    ),
  );
  const later = coming.map(({ name, valid_from }) => `From ${valid_from}: ${name}.`);
  return [
    head,
    ...programmes.map((view) => showProgramme(view, cockpit)),
    ...earlier,
    ...later,
  ].join('\n\n');
}

function showProgramme(
  { programme, readings, reported, inside, isJudged }: ProgrammeView,
  { now }: Cockpit,
): string {
  return [
    `${programme.name} (${programme.scheme})${isJudged ? '' : ', shown only: no region is set'}`,
    ...(inside === undefined ? [] : [`  ${insideText(inside)}`]),
    ...reported.slice(-1).flatMap((month) => {
      const beyond = reportedBeyond(month);
      return beyond === undefined ? [] : [`  ${beyond}`];
    }),
    ...readings.flatMap((reading) => showReading(reading, now)),
    ...reported.slice(-1).flatMap(showReported),
  ].join('\n');
}

/** What was reported, and how near that is to each line: an acquirer's numbers are judged for themselves. */
function showReported(view: ReportedView): string[] {
  return [
    `  ${reportedText(view)}`,
    ...view.readings.flatMap(({ reading, lines }) =>
      lines.flatMap(({ line, progress, isCrossed, unknown }) => [
        `    ${reading.name}, ${line.name} (${lineText(line)}): ${standsWords({ progress, isCrossed, unknown })}`,
        ...(isCrossed || progress >= 50 ? [`      Next step: ${line.next_step}`] : []),
      ]),
    ),
  ];
}

function standsWords({
  progress,
  isCrossed,
  unknown,
}: Pick<LineState, 'progress' | 'isCrossed' | 'unknown'>): string {
  if (isCrossed) return 'crossed by the numbers reported.';
  return unknown.includes('ratio') ? 'not known.' : `${progress} % of the way.`;
}

function showReading(reading: ReadingView, now: Date): string[] {
  const { count, base, ratioPercent, lines, forecasts, open, otherDating } = reading;
  return [
    `  ${reading.reading.name}: ${numberText(count)} of ${base === null ? 'no payments' : numberText(base)}, ${percentText(ratioPercent)}`,
    ...lines.flatMap(({ line, progress, isCrossed, unknown }, index) => {
      const ahead = forecasts[index];
      const arithmetic = ahead === undefined ? undefined : arithmeticText(ahead, reading);
      const way = unknown.includes('ratio') ? 'not known' : `${progress} % of the way`;
      return [
        `    ${line.name} (${lineText(line)}): ${isCrossed ? 'crossed' : way}. ${ahead === undefined ? '' : forecastText(ahead, now)}`,
        ...(arithmetic === undefined ? [] : [`      ${arithmetic}`]),
        ...(isCrossed || progress >= 50 ? [`      Next step: ${line.next_step}`] : []),
      ];
    }),
    ...(otherDating === undefined ? [] : [`    ${otherDatingText(otherDating)}`]),
    ...(open === undefined ? [] : [`    ${openText(open)}`]),
  ];
}
