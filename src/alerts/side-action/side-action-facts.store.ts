/** Gathers what side actions depend on: the alert, its decisions, its charge and its order. Reads only. */
import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { dataKeysOf } from '../../base/seal/carried-keys.ts';
import type { OrderRow } from '../../orders/order.store.ts';
import { openBodyOf } from '../../orders/sealed-order.ts';
import type { DecisionTable } from '../decide/decision.table.ts';
import { customerIdentities } from '../guard/customer-identity.ts';
import type { CancelChoice } from '../guard/guard-settings.ts';
import type { SideActionFacts } from './plan-side-actions.ts';

/** The facts of one alert; undefined when there is no such case. */
export async function readSideActionFacts(
  db: Kysely<Database>,
  { organisationId, alertId }: { readonly organisationId: string; readonly alertId: string },
  cancelSubscriptions: CancelChoice,
): Promise<SideActionFacts | undefined> {
  const { rows } = await sql<FactsRow & (StoredBody | Record<keyof StoredBody, null>)>`
    select a.enrolment_type, a.reason_code, k.charge_reference, c.order_reference, c.subscription_reference,
      o.integration_id, o.reference_id, o.body, coalesce((
        select json_agg(json_build_object('action', d.action, 'decided_by', d.decided_by, 'guard', d.guard,
          'sentence', d.sentence, 'side_actions', d.side_actions) order by d.id)
        from decision d where d.organisation_id = ${organisationId} and d.alert_id = ${alertId}
          and not d.shadow), '[]'::json) as decisions
    from alert_case k
    join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
    left join charge c on c.organisation_id = k.organisation_id and c.reference = k.charge_reference
    left join lateral (
      select r.integration_id, r.reference_id, r.body from order_record r
      where r.organisation_id = k.organisation_id and r.reference_id = c.order_reference
      order by r.seq desc limit 1) as o on true
    where k.organisation_id = ${organisationId} and k.alert_id = ${alertId}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const body = row.body === null ? undefined : openBodyOf(dataKeysOf(db), organisationId, row).body;
  const { subscription_reference: subscription } = row;
  return {
    alertId,
    enrolmentType: row.enrolment_type,
    reasonCode: row.reason_code,
    decisions: row.decisions.map((decision) => ({
      action: decision.action,
      byOperator: decision.decided_by.startsWith('operator:'),
      guarded: decision.guard !== null,
      sentence: decision.sentence,
      wanted: decision.side_actions,
    })),
    charge: row.charge_reference,
    subscribed: subscription !== null || (body?.subscriptions ?? []).length > 0,
    subscription,
    order: row.order_reference,
    customer: customerIdentities({
      customerAccountId: body?.customer_account_id ?? null,
      customerEmail: body?.customer_email ?? null,
    }),
    cancelSubscriptions,
  };
}

type StoredBody = Pick<OrderRow, 'integration_id' | 'reference_id' | 'body'>;

interface FactsRow {
  readonly enrolment_type: string | null;
  readonly reason_code: string | null;
  readonly charge_reference: string | null;
  readonly order_reference: string | null;
  readonly subscription_reference: string | null;
  readonly decisions: readonly Pick<
    Selectable<DecisionTable>,
    'action' | 'decided_by' | 'guard' | 'sentence' | 'side_actions'
  >[];
}
