/** Writes the report of a period from our rows, and the findings about sums that do not match. */
import type { Db } from '../../base/db/database.ts';
import type { FindingRow } from '../../base/findings/finding.store.ts';
import {
  closeFinding,
  countFindings,
  findingsOfReport,
} from '../../base/findings/finding.store.ts';
import { readNamedValue } from '../../base/jobs/named-value.store.ts';
import { RECONCILE_FACTS } from './reconcile-facts.ts';
import { recordFinding } from './record-finding.ts';
import type { FiguresScope } from './report.store.ts';
import {
  countAlerts,
  countCompared,
  countEvents,
  countMoney,
  countOrders,
} from './report.store.ts';
import type { Mismatch, ReconcileReport, ReportedFinding, ReportFigures } from './report.ts';
import { FINDINGS_LISTED_MAX, makeReport } from './report.ts';

/** The kind of findings about sums. */
export const TOTALS_KIND = 'totals_differ';

export interface ReportRequest extends FiguresScope {
  /** Names the findings about its sums: the day, or `asked` for a report somebody asked for. */
  readonly name: string;
}

/** Counts, checks the sums, and opens or closes the findings about them. */
export async function reportOn(db: Db, request: ReportRequest): Promise<ReconcileReport> {
  const { from, to, now } = request;
  const period = { from: from.toISOString(), to: to.toISOString() };
  const report = makeReport(period, now, await readFigures(db, request));
  await settleTotals(db, request, report.mismatches);
  return report;
}

async function readFigures(db: Db, scope: FiguresScope): Promise<ReportFigures> {
  const { organisationId, from, to, now } = scope;
  const compared = await countCompared(db, scope);
  const listed = await findingsOfReport(db, organisationId, FINDINGS_LISTED_MAX);
  return {
    events: await countEvents(db, scope),
    alerts: await countAlerts(db, scope),
    money: await countMoney(db, scope),
    compared,
    orders: await countOrders(db, organisationId),
    findings: {
      ...(await countFindings(db, { organisationId, from, to })),
      listed: listed.map((row) => showFinding(row, now)),
    },
    unknown: [...(await unknownNow(db, scope)), ...unreadCharges(compared.unread)],
  };
}

function showFinding(row: FindingRow, now: Date): ReportedFinding {
  return {
    kind: row.kind,
    severity: row.severity,
    subject: row.subject,
    subjectId: row.subject_id,
    openedAt: row.opened_at.toISOString(),
    ageHours: Math.floor((now.getTime() - row.opened_at.getTime()) / 3_600_000),
    repair: row.repair,
    nextStep: row.next_step,
  };
}

/** What no list and no webhook tells. */
async function unknownNow(db: Db, scope: FiguresScope): Promise<string[]> {
  const { organisationId } = scope;
  const open = await findingsOfReport(db, organisationId, FINDINGS_LISTED_MAX);
  const has = (kind: string): boolean => open.some((row) => row.kind === kind);
  const unknown = open.filter(({ kind }) => kind === 'unlisted_period').map((row) => row.next_step);
  if (has('webhooks_silent')) {
    unknown.push(
      'Webhooks do not arrive at present: representments and scheme notices have no list to read, so those of this time are not known.',
    );
  }
  const missing = open.filter(({ kind }) => kind === 'creation_missing').length;
  if (missing > 0) {
    unknown.push(
      `The creation of ${missing} representments or scheme notices never arrived; others may be missing altogether.`,
    );
  }
  const lastPoll = await readNamedValue(db, organisationId, RECONCILE_FACTS.lastPollReport);
  if (!isWhole(lastPoll)) {
    unknown.push(
      'The last poll could not read everything, so what the service shows may be newer than what is counted here. See "forestall doctor".',
    );
  }
  if ((await readNamedValue(db, organisationId, RECONCILE_FACTS.enrolmentsRead)) !== true) {
    unknown.push(
      'Enrolments are known from webhooks only: there is no partner key that may read them (FORESTALL_PARTNER_API_KEY).',
    );
  }
  return unknown;
}

function isWhole(report: unknown): boolean {
  return (
    typeof report === 'object' &&
    report !== null &&
    'outcome' in report &&
    report.outcome === 'whole'
  );
}

function unreadCharges(unread: number): string[] {
  return unread === 0
    ? []
    : [
        `${unread} charges could not be compared: the processor gave no answer, or offers no reading.`,
      ];
}

const TOTALS: readonly Mismatch['total'][] = ['events', 'alerts', 'money'];

/** One finding per sum and report; it closes with the next report of that name that adds up. */
async function settleTotals(
  db: Db,
  { organisationId, name, now }: ReportRequest,
  mismatches: readonly Mismatch[],
): Promise<void> {
  for (const total of TOTALS) {
    const wrong = mismatches.filter((mismatch) => mismatch.total === total);
    const [first] = wrong;
    const about = { organisationId, kind: TOTALS_KIND, subject: 'report' };
    const subjectId = `${name}:${total}`;
    if (first === undefined) {
      await closeFinding(db, { ...about, subjectId }, now);
      continue;
    }
    const rule = {
      kind: TOTALS_KIND,
      severity: 'error' as const,
      nextStep: `${first.sentence} Something was lost or counted twice: look at the open findings and at the events of that time, and report it as a defect if they do not explain it.`,
      notifies: true,
    };
    const evidence = { sums: wrong.map((mismatch) => mismatch.evidence) };
    const contradiction = {
      organisationId,
      subject: 'report',
      subjectId,
      alertId: null,
      evidence,
      now,
    };
    await recordFinding(db, rule, contradiction);
  }
}
