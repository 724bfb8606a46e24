/**
 * How long a backtest takes: `node test/bench/policy.ts [ALERTS]`, 100,000 without a number.
 *
 * Starts a PostgreSQL of its own, stores that many decisions with facts of the usual size, and replays
 * them under a template as `forestall policy backtest` does. Exit status 1 above ten seconds.
 */
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { ASSUMED_FEES } from '../../src/capabilities/backtests/backtest-report.ts';
import { replayPast } from '../../src/capabilities/backtests/replay.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { yearOfAlerts } from '../templates/policies/year-of-alerts.ts';

const ORGANISATION = 'org_bench';
const LIMIT_SECONDS = 10;
const alerts = Number(process.argv[2] ?? 100_000);

const server = await startEmbeddedPostgres({ temporary: true });
const database = openDatabase({
  connectionString: server.connectionString,
  log: createLog({ level: 'silent' }),
});
try {
  await migrateToLatest(database.db);
  const year = yearOfAlerts(1_000);
  await database.db.transaction().execute(async (trx) => {
    // Only what is replayed matters here: no time limit, and nothing that follows from a decision.
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`
      with known as materialized (
        select (place - 1) as place, facts
        from jsonb_array_elements(${JSON.stringify(year.map(({ facts }) => facts))}::jsonb)
          with ordinality as each (facts, place))
      insert into decision (organisation_id, alert_id, action, decided_by, sentence, inputs, decided_at)
      select ${ORGANISATION}, 'netalrt_' || n, 'REVIEW', 'policy', 'x',
        jsonb_build_object('facts', known.facts, 'trace', '[]'::jsonb), now()
      from generate_series(1, ${alerts}::int) n join known on known.place = n % 1000`.execute(trx);
  });
  const file = new URL('../../templates/policies/high-risk.yaml', import.meta.url);
  const policy = loadPolicy(await readFile(file, 'utf8'), { file: 'high-risk.yaml' });
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const { alerts: replayed, is } = await replayPast(database.db, {
    policy,
    fees: ASSUMED_FEES,
    organisationId: ORGANISATION,
  });
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  console.log(
    `${replayed} alerts replayed in ${seconds.toFixed(1)} s (at most ${LIMIT_SECONDS} s for 100000), ${((user + system) / 1e6).toFixed(1)} s of them computing: ${is.refunds} refunds, ${is.accepted} accepted, ${is.reviews} reviews.`,
  );
  if (replayed !== alerts || seconds > (LIMIT_SECONDS * alerts) / 100_000) process.exitCode = 1;
} finally {
  await database.close();
  await server.stop();
}
