/** Rows that the tests of reconcile, insights and the console start from. */
import type { Kysely } from 'kysely';
import type { CaseState } from '../../../src/cases/case-state.ts';
import type { Database } from '../../../src/db/database.ts';
import type { RefundState } from '../../../src/refund/refund-state.ts';
import type { Alert } from '../../../src/wire/alert.ts';

export const ORG = 'org_demo';
export const NOW = '2026-03-01T12:00:00.000Z';

const TERMINAL: readonly CaseState[] = [
  'DECLARED_REFUND',
  'DECLARED_ACCEPT',
  'CLOSED_REMOTE',
  'CLOSED_INVALID',
  'RECONCILED_RDR',
  'CONFLICT',
];

export function alertObject(id: string, fields: Partial<Alert> = {}): Alert {
  return {
    id,
    organisation_id: ORG,
    merchant_id: 'mrch_1',
    enrolment_id: 'enrl_1',
    enrolment_type: 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    action_required_deadline: '2026-03-03T10:00:00Z',
    transaction_amount_in_cents: 12_990,
    transaction_currency_code: 'USD',
    transaction_statement_descriptor: 'SHOP',
    created_at: '2026-03-01T10:00:00Z',
    updated_at: '2026-03-01T10:00:00Z',
    ...fields,
  };
}

export async function insertAlert(db: Kysely<Database>, alert: Alert): Promise<void> {
  await db
    .insertInto('alert')
    .values({
      organisation_id: alert.organisation_id,
      id: alert.id,
      status: alert.status,
      enrolment_type: alert.enrolment_type,
      deadline_at: alert.action_required_deadline ?? null,
      amount_minor: alert.transaction_amount_in_cents ?? null,
      currency: alert.transaction_currency_code ?? null,
      descriptor: alert.transaction_statement_descriptor ?? null,
      refund_outcome: alert.transaction_refund_outcome ?? null,
      integration_transaction_id: alert.integration_transaction_id ?? null,
      note: alert.note ?? null,
      created_at: alert.created_at,
      updated_at: alert.updated_at,
      snapshot: JSON.stringify(alert),
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'webhook',
      first_seen_at: alert.created_at,
      changed_at: alert.updated_at,
    })
    .execute();
}

export interface CaseFields {
  readonly state?: CaseState;
  readonly deadlineAt?: string;
  readonly refundId?: string | null;
  readonly chargeReference?: string | null;
  readonly missedAt?: string | null;
  readonly holdReason?: string | null;
  readonly organisationId?: string;
}

export async function insertCase(
  db: Kysely<Database>,
  alertId: string,
  fields: CaseFields = {},
): Promise<void> {
  const { state = 'RECEIVED', deadlineAt = '2026-03-03T10:00:00Z' } = fields;
  const terminal = TERMINAL.includes(state);
  await db
    .insertInto('alert_case')
    .values({
      organisation_id: fields.organisationId ?? ORG,
      alert_id: alertId,
      state,
      opened_at: '2026-03-01T10:00:00Z',
      deadline_at: deadlineAt,
      next_action_at: terminal ? null : deadlineAt,
      closed_at: terminal ? '2026-03-01T11:00:00Z' : null,
      changed_at: '2026-03-01T11:00:00Z',
      refund_id: fields.refundId ?? null,
      charge_reference: fields.chargeReference ?? null,
      missed_at: fields.missedAt ?? null,
      hold_reason: fields.holdReason ?? null,
    })
    .execute();
}

export async function insertRefund(
  db: Kysely<Database>,
  id: string,
  fields: {
    readonly state: RefundState;
    readonly charge: string;
    readonly alertId: string;
    readonly confirmedAt?: string;
    readonly amountMinor?: number;
    readonly currency?: string;
  },
): Promise<void> {
  const amountMinor = fields.amountMinor ?? 12_990;
  await db
    .insertInto('refund')
    .values({
      organisation_id: ORG,
      id,
      charge_reference: fields.charge,
      idempotency_key: `key_${id}`,
      alert_id: fields.alertId,
      state: fields.state,
      amount_minor: amountMinor,
      currency: fields.currency ?? 'USD',
      captured_minor: 1_000_000,
      first_sent_at: '2026-03-01T10:30:00Z',
      confirmed_at: fields.confirmedAt ?? null,
      created_at: '2026-03-01T10:30:00Z',
      changed_at: '2026-03-01T10:30:00Z',
    })
    .execute();
}
