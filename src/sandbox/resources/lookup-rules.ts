/**
 * Lookups: a network asks for order data, the service answers, and a case notice may later say
 * whether the answer deflected a dispute. Section Lookup status and deflection.
 */
import { z } from 'zod';
import { amountMinorOut, dateOrTimestampOut } from '../../service/wire/fields.ts';
import type { DeflectionStatus } from '../../service/wire/lookup.ts';
import { DEFLECTION_STATUSES, LOOKUP_STATUSES, LOOKUP_TYPES } from '../../service/wire/lookup.ts';
import { invalid } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { isoIn, nowIso, scheduleIn } from '../sandbox-context.ts';
import type { EnrolmentRecord, LookupRecord } from '../state/resources.ts';
import { emit } from '../webhooks/emit.ts';
import { findTransaction } from './matching.ts';
import type { TransactionIdentity } from './transaction-identity.ts';
import { chosenOr, madeUpIdentity } from './transaction-identity.ts';

const text = z.string().nullable().optional();

export const newLookupInput = z.strictObject({
  type: z.enum(LOOKUP_TYPES),
  /** @default the first enrolment of the lookup's network */
  enrollment_id: z.string().optional(),
  parent_lookup_id: text,
  /** @default `PENDING`, answered after a moment */
  lookup_status: z.enum(LOOKUP_STATUSES).optional(),
  /** @default by the rule of the lookup's type */
  deflection_status: z.enum(DEFLECTION_STATUSES).optional(),
  /** Card, ARN and authorisation code: null on purpose. @default the matched transaction's, or made up */
  transaction_card_bin: text,
  transaction_card_last4: text,
  transaction_card_scheme: text,
  transaction_arn: text,
  transaction_auth_code: text,
  transaction_amount: amountMinorOut.optional(),
  transaction_currency: z.string().optional(),
  transaction_date: dateOrTimestampOut.optional(),
  transaction_statement_descriptor: text,
  transaction_network_id: text,
});
export type NewLookup = z.input<typeof newLookupInput>;

/** Notices of the network about a case that a lookup may have deflected. */
export const CASE_NOTICES = ['NEW', 'FAILED', 'TIMEOUT', 'DELETE'] as const;
export type CaseNotice = (typeof CASE_NOTICES)[number];

/** Looks for evidence in the past for another lookup, its parent, which has the dispute. */
const HISTORICAL = 'NETB_COMPELLING_EVIDENCE_3';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates a lookup; digital receipt lookups emit `lookup.created`. */
export function createLookup(
  context: SandboxContext,
  enrolment: EnrolmentRecord,
  fields: NewLookup,
): LookupRecord {
  if (fields.type === HISTORICAL) refuseDeflection(fields.deflection_status);
  const now = nowIso(context);
  const match = findTransaction(context, identifiersOf(enrolment, fields));
  const lookup: LookupRecord = {
    id: context.ids.next('lookup'),
    organisation_id: enrolment.organisation_id,
    enrollment_id: enrolment.id,
    type: fields.type,
    parent_lookup_id: fields.parent_lookup_id ?? null,
    lookup_status: fields.lookup_status ?? 'PENDING',
    deflection_status: 'NOT_ATTEMPTED',
    ...transactionOf(context, fields, {
      ...madeUpIdentity(context, 'lookups'),
      ...match?.identity,
    }),
    integration_id: match?.integrationId ?? null,
    integration_transaction_id: match?.transactionReference ?? null,
    created_at: now,
    updated_at: now,
  };
  lookup.deflection_status = fields.deflection_status ?? firstDeflection(context, lookup);
  context.state.lookups.set(lookup.id, lookup);
  // Historical evidence is looked up for another lookup; it is no digital receipt of its own.
  if (lookup.type !== HISTORICAL) {
    emit(context, { entity: 'lookup', change: 'created', object: lookup });
  }
  if (lookup.lookup_status === 'PENDING') {
    const { lookupAnswerMs } = context.settings.timing;
    scheduleIn(context, lookupAnswerMs, { kind: 'answer_lookup', subject: lookup.id });
  }
  return lookup;
}

type LookupTransaction = Pick<LookupRecord, Extract<keyof LookupRecord, `transaction_${string}`>>;

/** What was chosen, null included; otherwise what identifies the transaction. */
function transactionOf(
  context: SandboxContext,
  fields: NewLookup,
  otherwise: TransactionIdentity,
): LookupTransaction {
  return {
    transaction_card_bin: chosenOr(fields.transaction_card_bin, otherwise.cardBin),
    transaction_card_last4: chosenOr(fields.transaction_card_last4, otherwise.cardLast4),
    transaction_arn: chosenOr(fields.transaction_arn, otherwise.acquirerReferenceNumber),
    transaction_auth_code: chosenOr(fields.transaction_auth_code, otherwise.authorisationCode),
    transaction_amount: fields.transaction_amount ?? 1000,
    transaction_currency: fields.transaction_currency ?? 'USD',
    transaction_date: fields.transaction_date ?? isoIn(context, -DAY_MS),
    transaction_statement_descriptor: fields.transaction_statement_descriptor ?? null,
    transaction_network_id: fields.transaction_network_id ?? null,
  };
}

function identifiersOf(
  enrolment: EnrolmentRecord,
  fields: NewLookup,
): Parameters<typeof findTransaction>[1] {
  return {
    merchant_ids: enrolment.merchant_ids,
    transaction_acquirer_reference_number: fields.transaction_arn ?? null,
    transaction_authorisation_code: fields.transaction_auth_code ?? null,
    transaction_card_bin: fields.transaction_card_bin ?? null,
    transaction_card_last4: fields.transaction_card_last4 ?? null,
    transaction_card_scheme: fields.transaction_card_scheme ?? null,
    transaction_amount_in_cents: fields.transaction_amount ?? 1000,
    transaction_currency_code: fields.transaction_currency ?? 'USD',
    transaction_statement_descriptor: fields.transaction_statement_descriptor ?? null,
  };
}

/** `PENDING` for a matched order insight with compelling evidence enabled, otherwise not attempted. */
function firstDeflection(context: SandboxContext, lookup: LookupRecord): DeflectionStatus {
  if (lookup.type !== 'NETB_ORDER_INSIGHT' || lookup.integration_id === null)
    return 'NOT_ATTEMPTED';
  const integration = context.state.integrations.get(lookup.integration_id);
  const enabled = integration?.programmes.includes('COMPELLING_EVIDENCE_3') === true;
  return enabled ? 'PENDING' : 'NOT_ATTEMPTED';
}

/** Answers a pending lookup: with data when its order was found. */
export function answerLookup(context: SandboxContext, lookupId: string): void {
  const lookup = context.state.lookups.get(lookupId);
  if (lookup?.lookup_status !== 'PENDING') return;
  const status = lookup.integration_transaction_id === null ? 'FAILED' : 'SUCCEEDED';
  changeLookup(context, lookup, { lookup_status: status });
}

/**
 * What a case notice makes of the deflection. `DELETE` takes an earlier success back.
 *
 * @throws Refusal 422 for a historical evidence lookup: the case is its parent's
 */
export function noteCase(
  context: SandboxContext,
  lookup: LookupRecord,
  notice: CaseNotice,
): LookupRecord {
  if (lookup.type === HISTORICAL) {
    const parent = lookup.parent_lookup_id ?? 'the lookup of the disputed transaction';
    const message = `A historical evidence lookup has no case of its own. Send the notice to ${parent}.`;
    throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: 'notice' }]);
  }
  return changeLookup(context, lookup, {
    deflection_status: notice === 'NEW' ? 'SUCCEEDED' : 'FAILED',
  });
}

/** The fields whose change emits `lookup.updated`. */
const TRACKED = ['lookup_status', 'deflection_status'] as const;

/** The deflection of a historical evidence lookup stays where it starts. @throws Refusal 422 */
function refuseDeflection(wanted: DeflectionStatus | undefined): void {
  if (wanted === undefined || wanted === 'NOT_ATTEMPTED') return;
  const message = `deflection_status of a ${HISTORICAL} lookup stays NOT_ATTEMPTED. Leave it out, or set it on the parent lookup.`;
  throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: 'deflection_status' }]);
}

/** Changes a lookup; `lookup.updated` is emitted only after a created event. */
export function changeLookup(
  context: SandboxContext,
  lookup: LookupRecord,
  changes: Partial<Pick<LookupRecord, (typeof TRACKED)[number]>>,
): LookupRecord {
  if (lookup.type === HISTORICAL) refuseDeflection(changes.deflection_status);
  const before = { ...lookup };
  Object.assign(lookup, changes, { updated_at: nowIso(context) });
  const changed = TRACKED.filter((field) => before[field] !== lookup[field]);
  if (changed.length === 0 || !context.state.announced.has(lookup.id)) return lookup;
  const previous = Object.fromEntries(changed.map((field) => [field, before[field]]));
  emit(context, { entity: 'lookup', change: 'updated', object: lookup, previous });
  return lookup;
}
