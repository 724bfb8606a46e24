/** What `forestall evidence` prints for people. */
import type {
  LackingField,
  MatrixCell,
  VerdictCount,
} from '../../alerts/evidence/evidence-month.store.ts';
import { LOOKUP_OUTCOMES, PROGRAMME_KEYS } from '../../alerts/evidence/evidence-month.store.ts';
import { BASIS_WORDS, ELEMENT_WORDS } from '../../alerts/evidence/judge-ce3.ts';
import type { Judgement } from '../../alerts/evidence/judge-subject.ts';
import type { Verdict } from '../../alerts/evidence/payment.ts';
import type { KnownSubject } from '../../alerts/evidence/subject.store.ts';

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

export function showMonth({ month, verdicts, lacking, lookups }: Month): string {
  const lines = [`Evidence in ${month}`];
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

export function showJudgement(
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
