/** `forestall evidence`: a month of judgements beside the service's lookups; and one of them with its reasons. */
import { InvalidArgumentError } from 'commander';
import { BASIS_WORDS, ELEMENT_WORDS } from '../../alerts/evidence/judge-ce3.ts';
import type { Judgement } from '../../alerts/evidence/judge-subject.ts';
import { judgeSubject } from '../../alerts/evidence/judge-subject.ts';
import type { KnownSubject, Subject, Verdict } from '../../alerts/evidence/payment.ts';
import { evidenceRules } from '../../alerts/evidence/setting.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import type { CapabilityCommand } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import type { LackingField, MatrixCell, VerdictCount } from './evidence-month.store.ts';
import {
  compareWithLookups,
  countLackingFields,
  countVerdicts,
  LOOKUP_OUTCOMES,
  PROGRAMME_KEYS,
} from './evidence-month.store.ts';
import { findSubject } from './subject.store.ts';

const month = describeCommand<{ readonly month?: string }>({
  usage: 'evidence month',
  says: 'a month of judgements beside the service’s lookups',
  isDefault: true,
  options: (command) =>
    command.option('--month <month>', 'YYYY-MM, UTC (default: this month)', readMonth),
  examples: ['forestall evidence', 'forestall evidence month --month 2026-11 --json'],
  run:
    ({ month: chosen }) =>
    async ({ db, clock, organisationId }) => {
      const wanted = { organisationId, month: chosen ?? nowDate(clock).toISOString().slice(0, 7) };
      const data = {
        month: wanted.month,
        verdicts: await countVerdicts(db, wanted),
        lacking: await countLackingFields(db, wanted),
        lookups: await compareWithLookups(db, wanted),
      };
      return { data, text: showMonth(data) };
    },
});

const explained = describeCommand({
  usage: 'evidence explain <id>',
  says: 'judges an alert, lookup, notice or dispute now, with every reason',
  examples: ['forestall evidence explain netalrt_01h8xyz'],
  run:
    (_flags, id = '') =>
    async ({ db, organisationId, settings }) => {
      const known = await findSubject(db, organisationId, { kind: kindOf(id), id });
      if (known === undefined) {
        throw new ConfigError(
          `${id} is not known here, or no order of yours tells of its payment. Check the id.`,
        );
      }
      const rules = settings.of(evidenceRules);
      const judgement = await judgeSubject(db, organisationId, { ...known, rules });
      return { data: { ...known, ...judgement }, text: showJudgement(known, judgement) };
    },
});

export const evidenceCommands: readonly CapabilityCommand[] = [month, explained];

function kindOf(id: string): Subject['kind'] {
  if (id.startsWith(ID_PREFIXES.lookup)) return 'lookup';
  if (id.startsWith(ID_PREFIXES.representment)) return 'representment';
  return id.startsWith(ID_PREFIXES.schemeNotice) ? 'scheme_notice' : 'alert';
}

function readMonth(text: string): string {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) {
    throw new InvalidArgumentError('Give a month like 2026-11.');
  }
  return text;
}

interface Month {
  readonly month: string;
  readonly verdicts: readonly VerdictCount[];
  readonly lacking: readonly LackingField[];
  readonly lookups: readonly MatrixCell[];
}

const PROGRAMMES = { ce3: 'Compelling evidence (CE3.0)', fpt: 'First-party trust' } as const;

const VERDICTS: Readonly<Record<Verdict, string>> = {
  qualifies: 'qualifies',
  edge: 'at the edge',
  not: 'does not qualify',
  elsewhere: 'not about it',
};

/** The verdicts that the comparison has a row for. */
const ROWS = ['qualifies', 'edge', 'not'] as const satisfies readonly Verdict[];

function showMonth({ month: shown, verdicts, lacking, lookups }: Month): string {
  const lines = [`Evidence in ${shown}`];
  for (const programme of PROGRAMME_KEYS) {
    const own = verdicts.filter((row) => row.programme === programme);
    const count = (verdict: Verdict): number =>
      own.filter((row) => row.verdict === verdict).reduce((sum, row) => sum + row.count, 0);
    const counted = ROWS.map((verdict) => `${count(verdict)} ${VERDICTS[verdict]}`).join(', ');
    lines.push('', `${PROGRAMMES[programme]}: ${counted}`);
    for (const { field, count: disputes } of lacking.filter((row) => row.programme === programme)) {
      lines.push(`  ${disputes} lacked ${field}`);
    }
    const cells = lookups.filter((cell) => cell.programme === programme);
    if (cells.length > 0) lines.push(...matrix(cells));
  }
  return lines.join('\n');
}

function matrix(cells: readonly MatrixCell[]): string[] {
  const width = Math.max(...LOOKUP_OUTCOMES.map((outcome) => outcome.length)) + 2;
  const head = LOOKUP_OUTCOMES.map((outcome) => outcome.padStart(width)).join('');
  const rows = ROWS.map((verdict) => {
    const counts = LOOKUP_OUTCOMES.map(
      (outcome) =>
        cells.find((cell) => cell.verdict === verdict && cell.outcome === outcome)?.count ?? 0,
    );
    return `  ${VERDICTS[verdict].padEnd(18)}${counts.map((count) => String(count).padStart(width)).join('')}`;
  });
  return [`  ${'lookups'.padEnd(18)}${head}`, ...rows];
}

function showJudgement(
  { subject, chargeReference }: KnownSubject,
  { ce3, fpt }: Judgement,
): string {
  const lines = [
    `${subject.id}, about ${chargeReference}, dispute counted from ${subject.day}`,
    '',
    `${PROGRAMMES.ce3}: ${VERDICTS[ce3.verdict]}, because ${ce3.why}`,
    ...ce3.bases.map(
      (each) => `  from ${BASIS_WORDS[each.basis]}: ${VERDICTS[each.verdict]}, ${each.why}`,
    ),
    ...ce3.missing.map((field) => `  lacked ${field}`),
  ];
  for (const { reference, day, elements, standing, age } of ce3.payments) {
    const same = elements.filter(({ state }) => state === 'equal');
    const rest = elements.filter(({ state }) => state !== 'equal' && state !== 'no login');
    const remarks = [
      ...new Set([
        ...standing.reasons,
        ...age.dispute_date.reasons,
        ...age.processing_date.reasons,
      ]),
    ];
    lines.push(
      `  ${day} ${reference}`,
      `    the same: ${same.map(({ element }) => ELEMENT_WORDS[element]).join(', ') || 'nothing'}`,
      `    not the same: ${rest.map(({ element, state }) => `${ELEMENT_WORDS[element]} (${state})`).join(', ') || 'nothing'}`,
      ...(remarks.length === 0 ? [] : [`    ${remarks.join('; ')}`]),
    );
  }
  lines.push('', `${PROGRAMMES.fpt}: ${VERDICTS[fpt.verdict]}, because ${fpt.why}`);
  lines.push(...fpt.missing.map((field) => `  lacked ${field}`));
  return lines.join('\n');
}
