/**
 * Answers for claims in the service's place: their rows are ours, so a read shows the row, and an answer is
 * the row resolved. Alerts of the service go through untouched.
 */
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowIso } from '../../base/kernel/clock.ts';
import type { AlertActed, AlertRead, AlertService, AlertSnapshot } from './alert-service.ts';
import { isClaimId } from './claim.ts';

/** Whose claims. */
export interface ClaimServiceDeps {
  readonly db: Db;
  readonly organisationId: string;
  readonly clock: Clock;
}

/** The service, together with our own claims. */
export function withClaims(service: AlertService, deps: ClaimServiceDeps): AlertService {
  return {
    async get(alertId, signal, deadlineMs): Promise<AlertRead> {
      if (!isClaimId(alertId)) return await service.get(alertId, signal, deadlineMs);
      const found = await readClaim(deps, alertId);
      return found === undefined ? { kind: 'not_found' } : { kind: 'found', ...found };
    },
    async act(alertId, answer, signal): Promise<AlertActed> {
      if (!isClaimId(alertId)) return await service.act(alertId, answer, signal);
      const found = await readClaim(deps, alertId);
      if (found === undefined) return { kind: 'refused', code: 'NOT_FOUND' };
      if (found.alert.status !== 'ACTION_REQUIRED') return { kind: 'already_resolved' };
      const { action, note } = answer;
      const object = {
        ...found.object,
        status: 'RESOLVED',
        transaction_refund_outcome: action === 'REFUND' ? 'REFUNDED' : 'NOT_REFUNDED',
        note,
        updated_at: nowIso(deps.clock),
      };
      return { kind: 'answered', ...snapshotOf(alertId, object) };
    },
    mayAnswer: (signal) => service.mayAnswer(signal),
  };
}

async function readClaim(
  { db, organisationId }: ClaimServiceDeps,
  alertId: string,
): Promise<AlertSnapshot | undefined> {
  const row = await db
    .selectFrom('alert')
    .select('snapshot')
    .where('organisation_id', '=', organisationId)
    .where('id', '=', alertId)
    .executeTakeFirst();
  return row === undefined ? undefined : snapshotOf(alertId, row.snapshot);
}

const text = z.string().nullish();
const claimShape = z.looseObject({
  status: z.string(),
  enrolment_type: z.string(),
  transaction_refund_outcome: text,
  note: text,
  transaction_amount_in_cents: z.number(),
  transaction_currency_code: z.string(),
  action_required_deadline: text,
});

function snapshotOf(id: string, object: Record<string, unknown>): AlertSnapshot {
  const claim = claimShape.parse(object);
  return {
    object,
    alert: {
      id,
      status: claim.status,
      enrolmentType: claim.enrolment_type,
      refundOutcome: claim.transaction_refund_outcome ?? null,
      note: claim.note ?? null,
      amountMinor: claim.transaction_amount_in_cents,
      currency: claim.transaction_currency_code,
      deadlineAt: claim.action_required_deadline ?? null,
    },
  };
}
