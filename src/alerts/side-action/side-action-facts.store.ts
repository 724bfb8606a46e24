/** Gathers what side actions depend on: the alert, its decisions, its charge and its order. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Trx } from '../../base/db/database.ts';
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import type { StoredBody } from '../../orders/order.store.ts';
import { newestOrder } from '../../orders/order.store.ts';
import type { OrderBody } from '../../orders/order-body.ts';
import { openBodyOf } from '../../orders/sealed-order.ts';
import type { DecisionTable } from '../decide/decision.table.ts';
import { customerIdentities } from '../guard/customer-identity.ts';
import type { CancelChoice } from '../guard/guard-settings.ts';
import type { SideActionFacts } from './plan-side-actions.ts';

/** An alert whose side actions are to be planned. */
export interface TakenAlert {
  readonly alertId: string;
  /** Undefined when there is no such case. */
  readonly facts: SideActionFacts | undefined;
}

/**
 * Takes alerts whose side actions are to be planned, with what these depend on, in one statement. Deleting is the
 * claim: a rollback gives them back.
 */
export async function takeDueAlerts(
  trx: Trx,
  organisationId: string,
  { limit, cancelSubscriptions }: { limit: number; cancelSubscriptions: CancelChoice },
): Promise<TakenAlert[]> {
  const { rows } = await sql<FactsRow>`
    with taken as (
      delete from side_action_due where (organisation_id, alert_id) in (
        select organisation_id, alert_id from side_action_due
        where organisation_id = ${organisationId}
        order by alert_id limit ${limit} for update skip locked)
      returning alert_id
    )
    select t.alert_id, k.is_known, k.enrolment_type, k.reason_code, k.charge_reference, k.order_reference,
      k.subscription_reference, k.integration_id, k.reference_id, k.body, coalesce((
        select json_agg(json_build_object('action', d.action, 'decided_by', d.decided_by, 'guard', d.guard,
          'sentence', d.sentence, 'side_actions', d.side_actions) order by d.id)
        from decision d where d.organisation_id = ${organisationId} and d.alert_id = t.alert_id
          and not d.shadow), '[]'::json) as decisions
    from taken t left join lateral (
      select true as is_known, a.enrolment_type, a.reason_code, k.charge_reference, c.order_reference,
        c.subscription_reference, o.integration_id, o.reference_id, o.body
      from alert_case k
      join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
      left join charge c on c.organisation_id = k.organisation_id and c.reference = k.charge_reference
      left join lateral (
        ${newestOrder(organisationId, sql`c.order_reference`)}) as o on true
      where k.organisation_id = ${organisationId} and k.alert_id = t.alert_id
      -- One by one: few are taken.
      limit 1) as k on true`.execute(trx);
  const dataKeys = dataKeysOf(trx);
  return rows
    .map((row) => ({
      alertId: row.alert_id,
      facts:
        row.is_known === true
          ? factsOf(row, bodyOf(dataKeys, organisationId, row), cancelSubscriptions)
          : undefined,
    }))
    .sort((one, other) => (one.alertId < other.alertId ? -1 : 1));
}

function bodyOf(
  dataKeys: DataKeys | undefined,
  organisationId: string,
  row: FactsRow,
): OrderBody | undefined {
  return row.body === null ? undefined : openBodyOf(dataKeys, organisationId, row).body;
}

function factsOf(
  row: FactsRow,
  body: OrderBody | undefined,
  cancelSubscriptions: CancelChoice,
): SideActionFacts {
  const { subscription_reference: subscription } = row;
  return {
    alertId: row.alert_id,
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

type FactsRow = AlertRow & (StoredBody | Record<keyof StoredBody, null>);

interface AlertRow {
  readonly alert_id: string;
  readonly is_known: true | null;
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
