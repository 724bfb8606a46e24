/** The figures of the processor's webhooks: what waits, how long ago the last one came, what this process took and refused. */
import type { Db } from '../../base/db/database.ts';
import type { Labelled } from '../../health/label-figures.store.ts';
import { counter, gauge } from '../../health/metric-table.ts';
import type { Sample } from '../../health/metrics.ts';
import { ageOf } from '../../health/metrics.ts';
import { describeMetrics } from '../../surface/capability-metrics.ts';
import { readLabelledStandings } from './processor-event.store.ts';

type Name = 'forestall_processor_events_waiting' | 'forestall_last_processor_event_age_seconds';

export const signalMetrics = describeMetrics(
  {
    forestall_processor_events_received_total: counter(
      'Genuine webhooks of the processor that this process took, repeats too.',
    ),
    forestall_processor_events_refused_total: counter(
      'Webhooks of the processor turned away by this process, by reason.',
    ),
    forestall_processor_events_waiting: gauge(
      'Events of the processor that nothing has followed from yet.',
    ),
    forestall_last_processor_event_age_seconds: gauge(
      'Seconds since the last event of the processor was stored.',
    ),
  },
  async (db, { organisationId, now }) => {
    const only = { organisationIds: [organisationId], labels: [organisationId], now };
    return (await readByLabel(db, only)).get(organisationId) ?? [];
  },
  readByLabel,
);

async function readByLabel(
  db: Db,
  scope: Labelled,
): Promise<ReadonlyMap<string, readonly Sample<Name>[]>> {
  const standings = await readLabelledStandings(db, scope);
  return new Map(
    standings.map(({ under, waiting, lastAt }) => [
      under,
      [
        { name: 'forestall_processor_events_waiting', value: waiting },
        ...ageOf('forestall_last_processor_event_age_seconds', lastAt, scope.now),
      ],
    ]),
  );
}
