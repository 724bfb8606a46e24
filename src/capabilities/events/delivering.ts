/** How endpoints are, for health, the doctor and the metrics. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { DueScope } from '../../base/jobs/due.store.ts';
import { counted } from '../../base/kernel/counted.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import type { PartHealth } from '../../health/health.ts';
import { gauge } from '../../health/metric-table.ts';
import type { Sample } from '../../health/metrics.ts';
import { describeMetrics } from '../../surface/capability-metrics.ts';
import { BY_PERSON, isFailing, listEndpoints } from './endpoint.store.ts';

const STEP = 'Mend it, and look at its page under Endpoints: it is sent what it missed.';

/** Nothing where there is no endpoint. */
export async function deliveringHealth(
  db: Db,
  { organisationId }: DueScope,
): Promise<readonly PartHealth[]> {
  const endpoints = await listEndpoints(db, organisationId);
  if (endpoints.length === 0) return [];
  const name = 'delivering';
  // What a person switched off is as they want it.
  const off = endpoints.find(({ state, off_reason: why }) => state === 'OFF' && why !== BY_PERSON);
  if (off !== undefined) {
    const detail = `the endpoint “${off.name}” for events is switched off: ${off.off_reason ?? 'not known why'}`;
    return [{ name, status: 'warning', detail, nextStep: `${STEP} Then switch it on there.` }];
  }
  const failing = endpoints.find(({ state, failures }) => state === 'ON' && isFailing(failures));
  if (failing?.failing_since != null) {
    const detail = `the endpoint “${failing.name}” has taken no event since ${utcWords(failing.failing_since)}`;
    return [{ name, status: 'warning', detail, nextStep: STEP }];
  }
  const detail = `${counted(endpoints.length, 'endpoint')} for events`;
  return [{ name, status: 'ok', detail, nextStep: null }];
}

export const deliveryMetrics = describeMetrics(
  {
    forestall_endpoints_off: gauge('Endpoints for events that are switched off.'),
    forestall_deliveries_waiting: gauge(
      'Events that an endpoint has not taken yet, by endpoint; those it may not have asked for too.',
    ),
    forestall_deliveries_oldest_seconds: gauge(
      'Age of the oldest event that an endpoint has not taken yet, by endpoint; 0 without any.',
    ),
    forestall_deliveries_given_up: gauge(
      'Events that an endpoint did not take in five days, by endpoint.',
    ),
  },
  async (db, scope) => await readDeliveries(db, scope),
);

type DeliverySample = Sample<
  | 'forestall_endpoints_off'
  | 'forestall_deliveries_waiting'
  | 'forestall_deliveries_oldest_seconds'
  | 'forestall_deliveries_given_up'
>;

async function readDeliveries(
  db: Db,
  { organisationId, now }: DueScope,
): Promise<readonly DeliverySample[]> {
  const endpoints = await listEndpoints(db, organisationId);
  if (endpoints.length === 0) return [];
  const { rows } = await sql<{ id: string; oldest: Date | null }>`
    select p.id, least(
      (select e.at from event e where e.organisation_id = p.organisation_id and e.seq > p.taken_seq order by e.seq limit 1),
      (select e.at from event_delivery d join event e on e.organisation_id = d.organisation_id and e.seq = d.seq
        where d.organisation_id = p.organisation_id and d.endpoint_id = p.id and d.state = 'PENDING' order by d.seq limit 1)) as oldest
    from event_endpoint p where p.organisation_id = ${organisationId} and p.state <> 'REMOVED'`.execute(
    db,
  );
  const oldest = new Map(rows.map((row) => [row.id, row.oldest]));
  const ageOf = (id: string): number => {
    const at = oldest.get(id) ?? now;
    return Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000));
  };
  return [
    {
      name: 'forestall_endpoints_off',
      value: endpoints.filter(({ state }) => state === 'OFF').length,
    },
    ...endpoints.flatMap(
      ({ id, name: endpoint, retrying, behind, given_up: givenUp }): DeliverySample[] => {
        const labels = { endpoint };
        return [
          { name: 'forestall_deliveries_waiting', labels, value: retrying + behind },
          { name: 'forestall_deliveries_oldest_seconds', labels, value: ageOf(id) },
          { name: 'forestall_deliveries_given_up', labels, value: givenUp },
        ];
      },
    ),
  ];
}
