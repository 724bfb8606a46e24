/** Whether it runs: each part of it, orders, findings, and templates that were copied. */
import type { Db } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import { groupedLines } from '../../health/health.ts';
import { readFeedStatus } from '../../orders/feed-status.store.ts';
import { findTemplateDrift } from '../../running/kit/template-drift.ts';
import { readWholeHealth } from '../../running/roles/readiness.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';
import { openFindings } from './doctor.store.ts';

export const operationLines: DoctorCheck = async (context) => {
  const { rows, clock, service } = context;
  const templates = await templateLine(context.projectRoot);
  if ('problem' in rows) return [templates];
  const db = rows.value;
  const health = await readWholeHealth(db, {
    organisationId: service.organisationId,
    now: nowDate(clock),
  });
  return [
    // The database has lines of its own.
    ...groupedLines(health.filter(({ name }) => name !== 'database' && name !== 'migrations')),
    ...(await orderLines(context, db)),
    await findingLine(context, db),
    templates,
  ];
};

async function orderLines(context: DoctorContext, db: Db): Promise<StatusLine[]> {
  const name = 'orders';
  const now = nowDate(context.clock);
  const status = await readFeedStatus(db, context.service.organisationId, now);
  const { HELD: held = 0, REFUSED: refused = 0, CREATED: created = 0 } = status.orders;
  const total = Object.values(status.orders).reduce((sum, count) => sum + count, 0);
  if (total === 0) {
    const step = 'Send orders to POST /api/orders, or import them: forestall orders import';
    return [warning(name, 'none yet: alerts cannot be matched with orders', step)];
  }
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
  return [line, readiness];
}

/** Share of orders ready for alerts below which matching suffers, in percent. */
const READY_PERCENT = 95;

async function findingLine(context: DoctorContext, db: Db): Promise<StatusLine> {
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
