/**
 * The life of an enrolment: `PENDING`, then `IN_PROGRESS`, then `ENABLED`, or `ACTION_REQUIRED` when
 * the network finds a descriptor too generic or taken. Every change of status or descriptors emits
 * `enrolment.updated`. Section States and transitions.
 */
import type { EnrolmentStatus } from '../../service/wire/enrolment.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso, scheduleIn } from '../sandbox-context.ts';
import type { DescriptorRecord, EnrolmentRecord } from '../state/resources.ts';
import { emit } from '../webhooks/emit.ts';

/** What may change about an enrolment. */
export interface EnrolmentChange {
  readonly status?: EnrolmentStatus | undefined;
  readonly descriptors?: readonly DescriptorRecord[] | undefined;
  readonly note?: string | null | undefined;
}

/** Stores a new enrolment, emits `enrolment.created` and starts its way through the network. */
export function startEnrolment(context: SandboxContext, enrolment: EnrolmentRecord): void {
  context.state.enrolments.set(enrolment.id, enrolment);
  emit(context, { entity: 'enrolment', change: 'created', object: enrolment });
  const { timing } = context.settings;
  scheduleStep(context, timing.enrolmentInProgressMs, `start ${enrolment.id}`);
  if (enrolment.neta_alert === undefined) {
    scheduleStep(context, timing.enrolmentEnabledMs, `enable ${enrolment.id}`);
  } else {
    scheduleValidation(context, enrolment);
  }
}

function scheduleStep(context: SandboxContext, afterMs: number, subject: string): void {
  scheduleIn(context, afterMs, { kind: 'move_enrolment', subject });
}

/** The network's verdict on the descriptors that are there now; they only ever grow. */
export function scheduleValidation(context: SandboxContext, enrolment: EnrolmentRecord): void {
  const count = enrolment.neta_alert?.descriptors.length ?? 0;
  const { descriptorValidationMs } = context.settings.timing;
  scheduleStep(context, descriptorValidationMs, `validate ${enrolment.id} ${count}`);
}

/** Changes an enrolment; `enrolment.updated` carries the tracked fields at their old values. */
export function changeEnrolment(
  context: SandboxContext,
  enrolment: EnrolmentRecord,
  change: EnrolmentChange,
): void {
  const previous: Record<string, unknown> = {};
  const { status, descriptors, note } = change;
  if (status !== undefined && status !== enrolment.status) {
    previous['status'] = enrolment.status;
    enrolment.status = status;
  }
  const before = enrolment.neta_alert?.descriptors;
  if (descriptors !== undefined && JSON.stringify(descriptors) !== JSON.stringify(before)) {
    previous['neta_alert'] = { descriptors: before ?? [] };
    enrolment.neta_alert = { descriptors: descriptors.map((entry) => ({ ...entry })) };
  }
  if (note !== undefined) enrolment.note = note;
  enrolment.updated_at = nowIso(context);
  if (Object.keys(previous).length === 0) return;
  emit(context, { entity: 'enrolment', change: 'updated', object: enrolment, previous });
}

/** Takes the step that is due. The subject is its name, the enrolment and, for a verdict, a count. */
export function moveEnrolment(context: SandboxContext, subject: string): void {
  const [step, id = '', count] = subject.split(' ');
  const enrolment = context.state.enrolments.get(id);
  if (enrolment === undefined || enrolment.status === 'CANCELLED') return;
  if (step === 'start' && enrolment.status === 'PENDING') {
    changeEnrolment(context, enrolment, { status: 'IN_PROGRESS' });
  }
  if (step === 'enable' && enrolment.status === 'IN_PROGRESS') {
    changeEnrolment(context, enrolment, { status: 'ENABLED' });
  }
  if (step === 'validate') validate(context, enrolment, Number(count));
}

/** Judges the first `count` descriptors that still wait for it. */
function validate(context: SandboxContext, enrolment: EnrolmentRecord, count: number): void {
  const problems: string[] = [];
  const descriptors = (enrolment.neta_alert?.descriptors ?? []).map((entry, index) => {
    if (index >= count || entry.status !== 'PENDING') return entry;
    const problem = problemOf(context, enrolment, entry);
    if (problem === undefined) return { ...entry, status: 'ACTIVE' as const };
    problems.push(problem);
    return entry;
  });
  if (problems.length > 0) {
    changeEnrolment(context, enrolment, {
      descriptors,
      status: 'ACTION_REQUIRED',
      note: problems.join(' '),
    });
    return;
  }
  const live = enrolment.status === 'IN_PROGRESS' && descriptors.every(isActive);
  changeEnrolment(context, enrolment, { descriptors, status: live ? 'ENABLED' : enrolment.status });
}

function isActive(entry: DescriptorRecord): boolean {
  return entry.status === 'ACTIVE';
}

/** Shorter ones, and these words, fit too many merchants. */
const GENERIC_LENGTH_MAX = 4;
const GENERIC_WORDS: ReadonlySet<string> = new Set([
  'ONLINE',
  'PAYMENT',
  'PURCHASE',
  'STORE',
  'SUBSCRIPTION',
]);

function problemOf(
  context: SandboxContext,
  enrolment: EnrolmentRecord,
  entry: DescriptorRecord,
): string | undefined {
  const text = entry.descriptor.trim().toUpperCase();
  if (text.length <= GENERIC_LENGTH_MAX || GENERIC_WORDS.has(text)) {
    return `The descriptor ${entry.descriptor} is too generic.`;
  }
  return isTaken(context, enrolment, text)
    ? `The descriptor ${entry.descriptor} is enrolled elsewhere in the network.`
    : undefined;
}

function isTaken(context: SandboxContext, enrolment: EnrolmentRecord, text: string): boolean {
  return [...context.state.enrolments.values()].some(
    (other) =>
      other.id !== enrolment.id &&
      other.status !== 'CANCELLED' &&
      (other.neta_alert?.descriptors ?? []).some(
        (entry) => entry.status === 'ACTIVE' && entry.descriptor.trim().toUpperCase() === text,
      ),
  );
}
