/** Findings about an estate. Each closes by itself with the first look that no longer sees it. */
import { basename } from 'node:path';
import type { FindingRule } from '../../alerts/reconcile/record-finding.ts';
import { recordFinding } from '../../alerts/reconcile/record-finding.ts';
import type { Db } from '../../base/db/database.ts';
import { closeOthers } from '../../base/findings/finding.store.ts';
import { counted } from '../../base/kernel/counted.ts';
import type { EstateState } from './plan/estate-state.ts';
import type { Values } from './plan/hidden-values.ts';
import { hideText } from './plan/hidden-values.ts';
import { disputeText, driftSentence } from './plan/sentences.ts';
import { waitingSentence } from './plan/waiting.ts';

export interface LookScope {
  readonly db: Db;
  readonly organisationId: string;
  readonly file: string;
  readonly now: Date;
  /** Their values are in no finding. */
  readonly variables: Values;
}

/** Objects of one kind of finding that are named one by one; the sentence of the last says how many more. */
const NAMED_MAX = 100;

interface LookFinding {
  readonly subject: string;
  readonly subjectId: string;
  readonly evidence: Record<string, unknown>;
  readonly severity: FindingRule['severity'];
  readonly nextStep: string;
}

const KINDS = [
  'estate_changed_elsewhere',
  'estate_rdr_wider',
  'estate_not_applied',
  'estate_enrolment_stuck',
] as const;
type Kind = (typeof KINDS)[number];

/** Opens and closes findings after a look that succeeded. */
export async function recordState(scope: LookScope, state: EstateState): Promise<void> {
  const found: Readonly<Record<Kind, readonly LookFinding[]>> = {
    estate_changed_elsewhere: changedElsewhere(state),
    estate_rdr_wider: wider(state),
    estate_not_applied: notApplied(state, scope.file),
    estate_enrolment_stuck: stuck(state),
  };
  for (const kind of KINDS) await keep(scope, kind, found[kind]);
  await keep(scope, 'estate_unreadable', []);
}

/** Says that the estate could not be looked at. The other findings stay as they are. */
export async function recordFailedLook(scope: LookScope, problem: string): Promise<void> {
  await keep(scope, 'estate_unreadable', [
    {
      subject: 'estate',
      subjectId: basename(scope.file),
      evidence: {},
      severity: 'warning',
      nextStep: `The estate could not be looked at, so that nobody sees what is changed elsewhere. ${problem}`,
    },
  ]);
}

async function keep(
  { db, organisationId, now, variables }: LookScope,
  kind: Kind | 'estate_unreadable',
  findings: readonly LookFinding[],
): Promise<void> {
  for (const { severity, nextStep, subject, subjectId, evidence } of findings) {
    const step = hideText(nextStep, variables);
    const rule = { kind, severity, nextStep: step, notifies: kind !== 'estate_not_applied' };
    const about = { organisationId, subject, subjectId, evidence, alertId: null, now };
    await recordFinding(db, rule, about);
  }
  const stillThere = findings.map(({ subjectId }) => subjectId);
  await closeOthers(db, { organisationId, kind, at: now }, stillThere);
}

function changedElsewhere({ drift }: EstateState): LookFinding[] {
  const more = drift.length - NAMED_MAX;
  return drift.slice(0, NAMED_MAX).map((drifted, index): LookFinding => {
    const { kind, id, change, isConflict } = drifted;
    const rest =
      more > 0 && index === NAMED_MAX - 1
        ? ` ${more} more: "forestall estate drift" shows all.`
        : '';
    const step = isConflict
      ? 'Take it into the file, or change it back with "forestall estate plan --overwrite".'
      : 'Take it into the file if it is to stay.';
    return {
      subject: kind,
      subjectId: id,
      evidence: {
        change,
        is_conflict: isConflict,
        fields: drifted.fields.map(({ field }) => field),
      },
      severity: 'warning',
      nextStep: `${sentenceCase(driftSentence(drifted))} ${step}${rest}`,
    };
  });
}

function wider({ wider: all }: EstateState): LookFinding[] {
  return all.slice(0, NAMED_MAX).map(({ enrolment, example }) => ({
    subject: 'enrolment',
    subjectId: enrolment,
    evidence: { usd_cents: example.usdCents },
    severity: 'error',
    nextStep: `Somebody changed rulesets elsewhere: RDR may refund more on "${enrolment}" than after the last apply, for example a dispute ${disputeText(example)}. Run "forestall estate drift" now.`,
  }));
}

function notApplied({ notApplied: steps, plan, drift }: EstateState, file: string): LookFinding[] {
  // Conflicts are findings of their own.
  const isBlocked = plan.problems.length > 0 && !drift.some(({ isConflict }) => isConflict);
  if (steps.length === 0 && !isBlocked) return [];
  const what =
    steps.length > 0
      ? `The file wants ${counted(steps.length, 'change')} that nobody applied.`
      : 'The file wants what cannot be done as it stands.';
  return [
    {
      subject: 'estate',
      subjectId: basename(file),
      evidence: { changes: steps.length, problems: plan.problems.length },
      severity: 'warning',
      nextStep: `${what} Run "forestall estate plan".`,
    },
  ];
}

/** What is in progress at the service is no finding. */
function stuck({ waiting }: EstateState): LookFinding[] {
  return waiting
    .filter(({ stage }) => stage !== 'in progress')
    .slice(0, NAMED_MAX)
    .map((enrolment) => ({
      subject: 'enrolment',
      subjectId: enrolment.id,
      evidence: { status: enrolment.status },
      severity: 'warning',
      nextStep: waitingSentence(enrolment),
    }));
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
