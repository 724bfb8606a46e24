/**
 * One descriptor of a live enrolment, added or removed by support. As every change of descriptors,
 * it emits `enrolment.updated`.
 */
import { z } from 'zod';
import { DESCRIPTOR_STATUSES, MATCH_TYPES } from '../../service/wire/enrolment.ts';
import { refusal } from '../refusal.ts';
import { changeEnrolment } from '../resources/enrolment-life.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { DescriptorRecord, EnrolmentRecord } from '../state/resources.ts';
import { must } from './must.ts';

export const newDescriptorInput = z.strictObject({
  descriptor: z.string().min(1),
  match_type: z.enum(MATCH_TYPES),
  status: z.enum(DESCRIPTOR_STATUSES).optional(),
});

/** One text can be enrolled with both match types. */
export const descriptorChoice = z.strictObject({
  descriptor: z.string().min(1),
  match_type: z.enum(MATCH_TYPES).optional(),
});

/** Adds one, `ACTIVE` by default. @throws Refusal `422 DUPLICATE_DESCRIPTOR` */
export function addDescriptor(
  context: SandboxContext,
  enrolmentId: string,
  { status = 'ACTIVE', ...added }: z.infer<typeof newDescriptorInput>,
): EnrolmentRecord {
  const { enrolment, descriptors } = alertEnrolment(context, enrolmentId);
  if (descriptors.some((entry) => isChosen(entry, added))) {
    const message = `${added.descriptor} exists with ${added.match_type}.`;
    throw refusal('DUPLICATE_DESCRIPTOR', message, 'descriptor');
  }
  changeEnrolment(context, enrolment, { descriptors: [...descriptors, { ...added, status }] });
  return enrolment;
}

/** Removes one; without a match type, all of that text. @throws Refusal 404 */
export function removeDescriptor(
  context: SandboxContext,
  enrolmentId: string,
  chosen: z.infer<typeof descriptorChoice>,
): EnrolmentRecord {
  const { enrolment, descriptors } = alertEnrolment(context, enrolmentId);
  const left = descriptors.filter((entry) => !isChosen(entry, chosen));
  must(left.length < descriptors.length ? left : undefined, 'The descriptor', 'descriptor');
  changeEnrolment(context, enrolment, { descriptors: left });
  return enrolment;
}

/** Only enrolments for alerts have descriptors. */
function alertEnrolment(
  context: SandboxContext,
  id: string,
): { readonly enrolment: EnrolmentRecord; readonly descriptors: readonly DescriptorRecord[] } {
  const enrolment = must(context.state.enrolments.get(id), 'The enrolment', 'enrolment_id');
  const { descriptors } = must(enrolment.neta_alert, 'An enrolment for alerts', 'enrolment_id');
  return { enrolment, descriptors };
}

function isChosen(entry: DescriptorRecord, chosen: z.infer<typeof descriptorChoice>): boolean {
  const sameType = chosen.match_type === undefined || chosen.match_type === entry.match_type;
  return sameType && entry.descriptor === chosen.descriptor;
}
