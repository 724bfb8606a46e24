/**
 * What an enrolment is made with: descriptors for alerts, BIN and CAID or ARNs for RDR, and what
 * the networks upstream refuse at once.
 */
import { z } from 'zod';
import type { MatchType } from '../../service/wire/enrolment.ts';
import { MATCH_TYPES } from '../../service/wire/enrolment.ts';
import { readInput, refusal } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { DescriptorRecord, EnrolmentRecord } from '../state/resources.ts';

/** What the two programmes need to know. Everything is read before anything is stored. */
export type EnrolmentConfig = Pick<EnrolmentRecord, 'neta_alert' | 'netb_rdr'>;

const descriptorsInput = z.looseObject({
  descriptors: z
    .array(z.looseObject({ descriptor: z.string().min(1), match_type: z.string() }))
    .min(1),
});

const rdrInput = z.looseObject({
  bin: z.string().nullish(),
  caid: z.string().nullish(),
  arns: z.array(z.string().min(1)).nullish(),
});

/**
 * The descriptors of `neta_alert`, new ones `PENDING`.
 *
 * @throws Refusal `422`: config missing, match type invalid, descriptor repeated, network refuses
 */
export function readDescriptors(
  neta: unknown,
  existing: readonly DescriptorRecord[],
): DescriptorRecord[] {
  if (neta === undefined || neta === null) {
    throw refusal(
      'MISSING_NETA_ALERT_CONFIG',
      'neta_alert is missing. Add it with its descriptors.',
      'neta_alert',
    );
  }
  const { descriptors } = readInput(descriptorsInput, neta, ['neta_alert']);
  const taken = new Set(existing.map(descriptorKey));
  return descriptors.map((entry, index) => {
    const field = `neta_alert.descriptors.${index}`;
    const record: DescriptorRecord = {
      descriptor: entry.descriptor,
      match_type: readMatchType(entry.match_type, `${field}.match_type`),
      status: 'PENDING',
    };
    refuseUpstream(entry.descriptor, field);
    const key = descriptorKey(record);
    if (taken.has(key)) {
      const message = `${entry.descriptor} exists with ${entry.match_type}. Leave it out.`;
      throw refusal('DUPLICATE_DESCRIPTOR', message, field);
    }
    taken.add(key);
    return record;
  });
}

function descriptorKey(entry: { descriptor: string; match_type: string }): string {
  return `${entry.match_type} ${entry.descriptor}`;
}

/** @throws Refusal `422 INVALID_MATCH_TYPE` */
export function readMatchType(value: string, field: string): MatchType {
  const known = MATCH_TYPES.find((type) => type === value);
  if (known !== undefined) return known;
  throw refusal(
    'INVALID_MATCH_TYPE',
    `match_type has a value that is not taken. Send one of ${MATCH_TYPES.join(', ')}.`,
    field,
  );
}

/** Statements print plain characters, and few of them. */
const PRINTABLE = /^[\x20-\x7e]{1,50}$/;

function refuseUpstream(descriptor: string, field: string): void {
  if (PRINTABLE.test(descriptor)) return;
  const message =
    'The network takes up to 50 printable ASCII characters. Shorten the descriptor, or replace what is not ASCII.';
  throw refusal('NETA_ALERT_ENROLLMENT_ERROR', message, field);
}

/**
 * BIN with CAID, or ARNs alone.
 *
 * @throws Refusal `422`: config missing, combination invalid, already enrolled upstream
 */
export function readRdr(
  context: SandboxContext,
  rdr: unknown,
): EnrolmentConfig['netb_rdr'] & object {
  if (rdr === undefined || rdr === null) {
    throw refusal(
      'MISSING_NETB_RDR_CONFIG',
      'netb_rdr is missing. Add it with BIN and CAID, or with ARNs.',
      'netb_rdr',
    );
  }
  const { bin = null, caid = null, arns = null } = readInput(rdrInput, rdr, ['netb_rdr']);
  const byPair = isBin(bin) && isCaid(caid) && arns === null;
  const byArns = bin === null && caid === null && arns !== null && arns.length > 0;
  if (!byPair && !byArns) {
    const message = 'Give a BIN of 6 or 8 digits together with a CAID, or ARNs alone.';
    throw refusal('INVALID_NETB_RDR_CONFIG', message, 'netb_rdr');
  }
  if (byPair && isPairEnrolled(context, bin, caid)) {
    const message =
      'The network has this BIN and CAID enrolled already. Use that enrolment, or another pair.';
    throw refusal('NETB_RDR_ENROLLMENT_ERROR', message, 'netb_rdr');
  }
  return { bin, caid, arns };
}

function isBin(bin: string | null): boolean {
  return bin !== null && /^(?:\d{6}|\d{8})$/.test(bin);
}

function isCaid(caid: string | null): boolean {
  return caid !== null && /^[A-Za-z0-9]{1,15}$/.test(caid);
}

function isPairEnrolled(context: SandboxContext, bin: string | null, caid: string | null): boolean {
  return [...context.state.enrolments.values()].some(
    ({ status, netb_rdr: rdr }) =>
      status !== 'CANCELLED' && rdr !== undefined && rdr.bin === bin && rdr.caid === caid,
  );
}
