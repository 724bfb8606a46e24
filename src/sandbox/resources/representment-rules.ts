/** Representments exist on events only: created and updated from the control surface. */
import { z } from 'zod';
import { amountMinorOut, dateOrTimestampOut, timestampOut } from '../../service/wire/fields.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { isoIn, nowIso } from '../sandbox-context.ts';
import type { MerchantRecord, RepresentmentRecord } from '../state/resources.ts';
import { emit } from '../webhooks/emit.ts';

const text = z.string().nullable().optional();
const amount = amountMinorOut.nullable().optional();
const moment = timestampOut.nullable().optional();

const fields = {
  managed_by: text,
  service_type: text,
  dispute_stage: text,
  dispute_reason: text,
  dispute_reason_code: text,
  dispute_schema: text,
  dispute_status: z.string().optional(),
  dispute_reference_id: text,
  dispute_currency_code: text,
  dispute_amount_in_cents: amount,
  disputed_at: moment,
  dispute_due_by: moment,
  transaction_reference_id: text,
  transaction_currency_code: text,
  transaction_amount_in_cents: amount,
  transaction_authorisation_date: dateOrTimestampOut.nullable().optional(),
  transaction_acquirer_reference_number: text,
};

export const newRepresentmentInput = z.strictObject({
  /** @default the first merchant */
  merchant_id: z.string().optional(),
  ...fields,
});
export type NewRepresentment = z.input<typeof newRepresentmentInput>;

export const representmentChanges = z.strictObject(fields);
export type RepresentmentChanges = z.input<typeof representmentChanges>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates a representment and emits `representment.created`. */
export function createRepresentment(
  context: SandboxContext,
  merchant: MerchantRecord,
  chosen: RepresentmentChanges,
): RepresentmentRecord {
  const now = nowIso(context);
  const representment: RepresentmentRecord = {
    id: context.ids.next('representment'),
    organisation_id: merchant.organisation_id,
    merchant_id: merchant.id,
    managed_by: 'PARTNER',
    service_type: 'ONLINE_SERVICES',
    dispute_stage: 'CHARGEBACK',
    dispute_reason: 'SUBSCRIPTION_CANCELED',
    dispute_reason_code: null,
    dispute_schema: 'SCHEME_A',
    dispute_status: 'OPEN',
    dispute_reference_id: context.ids.nextWith('dp_', 16),
    dispute_currency_code: 'USD',
    dispute_amount_in_cents: 1000,
    disputed_at: now,
    dispute_due_by: isoIn(context, 7 * DAY_MS),
    transaction_reference_id: null,
    transaction_currency_code: 'USD',
    transaction_amount_in_cents: 1000,
    transaction_authorisation_date: null,
    transaction_acquirer_reference_number: null,
    created_at: now,
    updated_at: now,
  };
  Object.assign(representment, withoutUndefined(chosen));
  context.state.representments.set(representment.id, representment);
  emit(context, { entity: 'representment', change: 'created', object: representment });
  return representment;
}

/** Changes a representment; any change emits `representment.updated` with the old values. */
export function changeRepresentment(
  context: SandboxContext,
  representment: RepresentmentRecord,
  changes: RepresentmentChanges,
): RepresentmentRecord {
  const before = new Map<string, unknown>(Object.entries(representment));
  const changed = Object.entries(withoutUndefined(changes)).filter(
    ([field, value]) => before.get(field) !== value,
  );
  if (changed.length === 0) return representment;
  Object.assign(representment, Object.fromEntries(changed), { updated_at: nowIso(context) });
  const previous = Object.fromEntries(changed.map(([field]) => [field, before.get(field)]));
  emit(context, { entity: 'representment', change: 'updated', object: representment, previous });
  return representment;
}

/** Leaves out what was given as undefined, so that defaults stay. */
export function withoutUndefined<Shape extends object>(
  shape: Shape,
): { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } {
  const result: { [Key in keyof Shape]?: Exclude<Shape[Key], undefined> } = {};
  const given = Object.entries(shape).filter(([, value]) => value !== undefined);
  return Object.assign(result, Object.fromEntries(given));
}
