/**
 * The questions that reconcile asks about once an hour, because they read more rows: outcomes and
 * amounts of closed alerts, creations that never arrived, enrolments that need somebody, and orders that
 * the service holds with other values.
 */
import { sql } from 'kysely';
import type { CheckQuery } from './checks.store.ts';
import {
  aboutCase,
  before,
  COVER_MINOR,
  SHOWN_FOR_MS,
  WHOLE_CHARGE_IS_BACK,
} from './checks.store.ts';

/** Answers of ours that the service now shows with another outcome. */
export const outcomesDiffer: CheckQuery = async (db, scope) => {
  const rows = await db
    .selectFrom('alert_case as c')
    .innerJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .select(['c.alert_id', 'c.state', 'c.movement_id', 'a.status', 'a.refund_outcome'])
    .where('c.organisation_id', '=', scope.organisationId)
    .where('c.closed_at', '>', before(scope, SHOWN_FOR_MS))
    .where('a.status', '=', 'RESOLVED')
    .where((eb) =>
      eb.or([
        eb.and([eb('c.state', '=', 'DECLARED_REFUND'), eb('a.refund_outcome', '<>', 'REFUNDED')]),
        eb.and([eb('c.state', '=', 'DECLARED_ACCEPT'), eb('a.refund_outcome', '=', 'REFUNDED')]),
      ]),
    )
    .orderBy('c.alert_id')
    .limit(scope.limit)
    .execute();
  return rows.map((row) =>
    aboutCase(row.alert_id, {
      case_state: row.state,
      refund_id: row.movement_id,
      alert_status: row.status,
      alert_refund_outcome: row.refund_outcome,
    }),
  );
};

/**
 * Alerts declared as refunded for whose dispute less went back than the alert shows now, or in another
 * currency, while the charge as a whole did not go back.
 */
export const declaredAmountsDiffer: CheckQuery = async (db, scope) => {
  const { rows } = await sql<DeclaredAmountRow>`
    select c.alert_id, c.movement_id, d.cover_minor, r.currency, a.amount_minor as alert_minor, a.currency as alert_currency
    from alert_case c
    join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    join movement r on r.organisation_id = c.organisation_id and r.id = c.movement_id
    cross join lateral (select ${COVER_MINOR} as cover_minor) d
    where c.organisation_id = ${scope.organisationId} and c.state = 'DECLARED_REFUND'
      and c.closed_at > ${before(scope, SHOWN_FOR_MS)}
      and r.kind <> 'void' and r.state in ('CONFIRMED', 'PENDING')
      and (a.currency <> r.currency or a.amount_minor > d.cover_minor) and not ${WHOLE_CHARGE_IS_BACK}
    order by c.alert_id limit ${scope.limit}`.execute(db);
  return rows.map((row) =>
    aboutCase(row.alert_id, {
      refund_id: row.movement_id,
      returned_in_cents: row.cover_minor,
      currency: row.currency,
      alert_amount_in_cents: row.alert_minor,
      alert_currency: row.alert_currency,
    }),
  );
};

interface DeclaredAmountRow {
  readonly alert_id: string;
  readonly movement_id: string;
  readonly cover_minor: number;
  readonly currency: string;
  readonly alert_minor: number | null;
  readonly alert_currency: string | null;
}

/** What an event was is read from its body: none goes before it is 22 days old, and a day is left, in milliseconds. */
const BODIES_KEPT_MS = 21 * 24 * 60 * 60_000;

/**
 * Representments and scheme notices that we know from an update only: their creation never arrived,
 * so others may be missing altogether, and no list tells which. A late creation heals it.
 */
export const creationsMissing: CheckQuery = async (db, scope) => {
  const since = before(scope, BODIES_KEPT_MS);
  // Without a change since its creation, what arrived was the creation.
  const { rows } = await sql<{ entity: string; id: string; first_seen_at: Date }>`
    with known as materialized (
      select 'representment' as entity, id, first_seen_at from representment
      where organisation_id = ${scope.organisationId} and first_seen_at > ${since}
        and updated_at > coalesce(created_at, '-infinity')
      union all
      select 'scheme_notice', id, first_seen_at from scheme_notice
      where organisation_id = ${scope.organisationId} and first_seen_at > ${since}
        and updated_at > coalesce(created_at, '-infinity')
    )
    select k.entity, k.id, k.first_seen_at from known k
    where not exists (
      select from entity_change h
        join inbox_id i on i.event_id = h.event_id and i.organisation_id = h.organisation_id
        join inbox_event e on e.received_at = i.received_at and e.seq = i.seq and e.organisation_id = i.organisation_id
      where h.organisation_id = ${scope.organisationId} and h.entity = k.entity and h.entity_id = k.id
        and case when e.key_id is null then convert_from(e.body, 'UTF8')::json ->> 'type' else e.event_type end
          = k.entity || '.created'
    )
    order by k.first_seen_at, k.id limit ${scope.limit}`.execute(db);
  return rows.map((row) => ({
    subject: row.entity,
    subjectId: row.id,
    alertId: null,
    evidence: { first_seen_at: row.first_seen_at },
  }));
};

/**
 * Enrolments through which alerts do not come until somebody acts: the network refused a descriptor, or one that was
 * live is no longer matched. Where the estate is managed by a file, its own look tells of the first.
 */
export const enrolmentsThatNeedAction: CheckQuery = async (db, scope) => {
  const { rows } = await sql<{ id: string; status: string | null; is_suppressed: boolean }>`
    select e.id, e.status, s.is_suppressed from enrolment e
    cross join lateral (select jsonb_path_exists(e.snapshot,
      '$.neta_alert.descriptors[*] ? (@.status == "SUPPRESSED")') as is_suppressed) s
    where e.organisation_id = ${scope.organisationId} and e.status is distinct from 'CANCELLED'
      and (e.status = 'ACTION_REQUIRED' or s.is_suppressed)
      and not exists (select from finding f where f.organisation_id = e.organisation_id and f.kind = 'estate_enrolment_stuck'
        and f.subject_id = e.id and f.closed_at is null)
    order by e.id limit ${scope.limit}`.execute(db);
  return rows.map((row) => ({
    subject: 'enrolment',
    subjectId: row.id,
    alertId: null,
    evidence: { status: row.status, has_suppressed_descriptor: row.is_suppressed },
  }));
};

/** Orders of which the service holds another content that no update can repair. */
export const ordersDiffer: CheckQuery = async (db, scope) => {
  const rows = await db
    .selectFrom('order_record')
    .select(['reference_id', 'order_id', 'difference', 'changed_at'])
    .where('organisation_id', '=', scope.organisationId)
    .where('difference', 'is not', null)
    .orderBy('seq')
    .limit(scope.limit)
    .execute();
  return rows.map((row) => ({
    subject: 'order',
    subjectId: row.reference_id,
    alertId: null,
    evidence: { order_id: row.order_id, fields: row.difference, seen_at: row.changed_at },
  }));
};
