/**
 * What the first page of an installation of many organisations costs, and a scrape of its metrics: how long the statements
 * take, and how many there are. `node test/bench/organisation-summaries.ts 1000`
 */

import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { forAllOrganisations } from '../../src/base/db/for-organisation.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { COUNTED_BY_LABEL } from '../../src/capabilities/index.ts';
import { readInstallationMetrics } from '../../src/health/installation-metrics.ts';
import { renderMetrics } from '../../src/health/metrics.ts';
import {
  byNeed,
  readSummaries,
} from '../../src/people/console/installation/organisation-summary.ts';

const ROUNDS = 30;
const CASES_EACH = 20;

/** Open and closed alerts, what workers noted of themselves, ratios, messages: of every organisation. */
const FILL = [
  `insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, closed_at, changed_at, missed_at)
   select 'org_' || o, 'netalrt_' || o || '_' || n, case when n <= 2 then 'HUMAN' when n <= 6 then 'MATCHED' else 'DECLARED_REFUND' end,
     now() - interval '1 hour', now() + interval '1 day' * n / 3, case when n <= 6 then now() + interval '1 hour' end,
     case when n > 6 then now() end, now(), case when n = ${CASES_EACH} and o % 50 = 0 then now() end
   from generate_series(1, $1) o, generate_series(1, ${CASES_EACH}) n`,
  `insert into fact (organisation_id, name, value, changed_at)
   select 'org_' || o, f.name, f.value::jsonb, now() from generate_series(1, $1) o, (values
     ('worker_settings', '{"mode":"live","hasProcessor":true,"channels":["Slack"],"pollSeconds":120}'),
     ('last_poll_at', to_json(now())::text), ('last_alive', '{}'), ('last_poll_report', '{}')) f (name, value)`,
  `insert into ratio_standing select 'org_' || o, '', s, 0.4, 12, 'VAMP, merchants: above standard', now()
   from generate_series(1, $1) o, unnest(array['SCHEME_A', 'SCHEME_B']) s`,
  `insert into notification (organisation_id, dedupe_key, kind, severity, text, created_at, sent_at, next_attempt_at, channel)
   select 'org_' || o, 'k' || n, 'held', 'warning', 'text', now(), now(), null, 'slack'
   from generate_series(1, $1) o, generate_series(1, 20) n`,
  `insert into money_pause select 'org_' || o, now(), 'operator:x', 'a reason' from generate_series(1, $1, 100) o`,
];

const count = Number(process.argv[2] ?? 1_000);
const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
const log = createLog({ level: 'silent' });
const database = openDatabase({
  connectionString: server.connectionString,
  log,
  maxConnections: 4,
});
try {
  await migrateToLatest(database.db);
  const client = new pg.Client({ connectionString: server.connectionString });
  await client.connect();
  for (const text of FILL) await client.query(text, [count]);
  await client.query('analyze');
  await client.query('call wall_organisations(true)');
  await client.end();
  const { db } = forAllOrganisations(database, 'overview');
  let statements = 0;
  const { query } = pg.Client.prototype;
  Object.defineProperty(pg.Client.prototype, 'query', {
    value(this: pg.Client, ...args: unknown[]): unknown {
      statements += 1;
      return Reflect.apply(query, this, args);
    },
  });
  const theirs = Array.from({ length: count }, (_, index) => ({
    id: `org_${index + 1}`,
    name: `Brand ${index + 1}`,
    path: `brand-${index + 1}`,
    mode: 'live' as const,
    role: 'viewer' as const,
  }));
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const times: number[] = [];
    const cpu = process.cpuUsage();
    for (let round = 0; round < ROUNDS; round++) {
      statements = 0;
      const began = performance.now();
      await work();
      times.push(performance.now() - began);
    }
    const { user, system } = process.cpuUsage(cpu);
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): string =>
      (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    console.log(
      `${name} of ${count} organisations: median ${at(0.5)} ms, p90 ${at(0.9)} ms, first ${times[0]?.toFixed(1)} ms, ${statements} statements, ${((user + system) / 1_000 / ROUNDS).toFixed(1)} ms of this process`,
    );
  };
  await measure('glance', async () =>
    (await readSummaries({ dbOf: () => db }, theirs, new Date())).toSorted(byNeed),
  );
  await measure('metrics', async () =>
    renderMetrics(
      await readInstallationMetrics(db, theirs, { now: new Date(), besides: COUNTED_BY_LABEL }),
    ),
  );
} finally {
  await database.close();
  await server.stop();
}
