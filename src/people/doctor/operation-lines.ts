/** Whether it runs: a worker, polling, orders, findings, and templates that were copied. */
import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { countAlive } from '../../base/jobs/heartbeat.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { StatusLine } from '../../books/insights/status-line.ts';
import { failed, ok, warning } from '../../books/insights/status-line.ts';
import { RECONCILE_FACTS, readFact } from '../../books/reconcile/fact.store.ts';
import { readFeedStatus } from '../../orders/feed-status.store.ts';
import { findTemplateDrift } from '../../running/kit/template-drift.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';
import { openFindings } from './doctor.store.ts';

/** A poll older than this is late, in milliseconds: several intervals. */
const POLL_LATE_MS = 15 * 60_000;

export const operationLines: DoctorCheck = async (context) => {
  const { database } = context;
  const templates = await templateLine(context.projectRoot);
  if ('problem' in database) return [templates];
  const db = database.value;
  return [
    await workerLine(context, db),
    await pollLine(context, db),
    ...(await orderLines(context, db)),
    await findingLine(context, db),
    templates,
  ];
};

async function workerLine(context: DoctorContext, db: Kysely<Database>): Promise<StatusLine> {
  const { organisationId } = context.service;
  const scope = { organisationId, role: 'work', now: nowDate(context.clock) };
  const alive = await countAlive(db, scope);
  return alive === 0
    ? failed('worker', 'none is alive', 'Start one with "forestall work" or "forestall start".')
    : ok('worker', `${alive} alive`);
}

async function pollLine(context: DoctorContext, db: Kysely<Database>): Promise<StatusLine> {
  const { clock, service } = context;
  const last = await readFact(db, service.organisationId, RECONCILE_FACTS.lastPollAt);
  if (typeof last !== 'string') {
    return warning(
      'polling',
      'no poll has read the alerts yet',
      'Start a worker, then look again.',
    );
  }
  const isLate = clock.nowMs() - Date.parse(last) > POLL_LATE_MS;
  const detail = `the alerts were last read at ${last}`;
  const step = 'Look for poll_failing among the findings and in the worker’s log.';
  return isLate ? failed('polling', detail, step) : ok('polling', detail);
}

async function orderLines(context: DoctorContext, db: Kysely<Database>): Promise<StatusLine[]> {
  const name = 'orders';
  const now = nowDate(context.clock);
  const status = await readFeedStatus(db, context.service.organisationId, now);
  const { HELD: held = 0, REFUSED: refused = 0, CREATED: created = 0 } = status.orders;
  const total = Object.values(status.orders).reduce((sum, count) => sum + count, 0);
  if (total === 0) {
    const step = 'Send orders to POST /api/orders, or import them: forestall orders import';
    return [warning(name, 'none yet: alerts cannot be matched with orders', step)];
  }
  const stopped = status.stopped.map(({ integrationId, code }) =>
    failed(
      'order feed',
      `orders of ${integrationId} are not sent: most were refused with ${code}`,
      `Remove the cause (forestall orders status), then: forestall orders resume ${integrationId}`,
    ),
  );
  const detail = `${created} of ${total} held by the service, ${held} held back, ${refused} refused, ${status.differing} differ`;
  const isWell = held + refused + status.differing === 0;
  const line = isWell
    ? ok(name, detail)
    : warning(name, detail, 'See what is missing with: forestall orders status');
  const shares = status.readiness.map(({ programme, percent }) => `${programme} ${percent ?? 0} %`);
  const alerts = status.readiness.find(({ programme }) => programme === 'alerts');
  const isReady = (alerts?.percent ?? 100) >= READY_PERCENT;
  const gap = alerts?.mostMissing?.field ?? 'nothing';
  const readiness = isReady
    ? ok('order readiness', shares.join(', '))
    : warning(
        'order readiness',
        `${shares.join(', ')}; most often missing for alerts: ${gap}`,
        'Send that field with every order: it can never be added later.',
      );
  return [line, ...stopped, readiness];
}

/** Share of orders ready for alerts below which matching suffers, in percent. */
const READY_PERCENT = 95;

async function findingLine(context: DoctorContext, db: Kysely<Database>): Promise<StatusLine> {
  const { errors, warnings } = await openFindings(db, context.service.organisationId);
  const detail = `${errors} errors, ${warnings} warnings open`;
  const step = 'See them with "forestall reconcile report", or on the console.';
  if (errors > 0) return failed('findings', detail, step);
  return warnings > 0 ? warning('findings', detail, step) : ok('findings', detail);
}

async function templateLine(projectRoot: string): Promise<StatusLine> {
  const drift = await findTemplateDrift(projectRoot);
  const behind = drift.filter(({ upstream }) => upstream !== 'same');
  if (behind.length === 0) return ok('templates', `${drift.length} copied, none behind`);
  const paths = behind.map(({ path }) => path).join(', ');
  return warning('templates', `behind this version: ${paths}`, 'Compare: forestall add --diff');
}
