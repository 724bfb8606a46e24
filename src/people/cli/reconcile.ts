/**
 * `forestall reconcile`: a pass now.
 *
 * The pass itself runs in the worker that polls: the command asks for it in the database and waits.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { ReconcileRequest } from '../../alerts/reconcile/reconcile-request.store.ts';
import { askForPass, findRequest } from '../../alerts/reconcile/reconcile-request.store.ts';
import type { ReconcileReport } from '../../alerts/reconcile/report.ts';
import { beginRecoveryCheck } from '../../alerts/recovery-check/begin-recovery-check.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { countAlive } from '../../base/jobs/heartbeat.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { DatabaseError } from '../../base/kernel/errors.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { momentOf } from '../../surface/terminal/option-values.ts';
import { print, say } from '../../surface/terminal/print.ts';
import { isWrong, showReport } from '../../surface/terminal/report-text.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext, OrdersContext } from './orders.ts';

const ACTOR = 'operator:cli';

/** How long the command waits for the worker, in milliseconds: a month of alerts fits. */
const PASS_MS_MAX = 30 * 60_000;

/** How often it looks, in milliseconds. */
const LOOK_MS = 500;

/** Orders that a pass has read back by default. */
const ORDERS_DEFAULT = 20;

export function registerReconcile(program: Command, openContext: OpenOrdersContext): void {
  const reconcile = program
    .command('reconcile')
    .option('--since <time>', 'ISO 8601, or an age such as 24h or 7d', readSince, '24h')
    .option('--orders <count>', 'orders to read back and compare', readCount, ORDERS_DEFAULT)
    .option('--json', 'print JSON')
    .action(async (flags: PassFlags) => {
      await runOn(openContext, async (context) => {
        const report = await runPass(context, flags);
        print(flags, report, showReport(report));
        if (isWrong(report)) process.exitCode = EXIT.wrong;
      });
    });
  registerFirst(reconcile, openContext);
}

interface PassFlags {
  readonly since: string;
  readonly orders: number;
  readonly json?: boolean;
}

async function runPass(context: OrdersContext, flags: PassFlags): Promise<ReconcileReport> {
  const { db, clock, organisationId } = context;
  const now = nowDate(clock);
  if ((await countAlive(db, { organisationId, role: 'work', now })) === 0) {
    throw new DatabaseError('No worker is running, and it is the worker that polls. Start one.');
  }
  const since = sinceDate(flags.since, now);
  const request = { organisationId, since, orders: flags.orders, by: ACTOR, at: now };
  const id = await askForPass(db, request);
  const served = await waitForPass(context, id);
  if (served.report === null) {
    throw new DatabaseError(`The pass failed: ${served.error ?? 'no reason given'}. See the log.`);
  }
  return served.report;
}

async function waitForPass(
  { db, organisationId }: OrdersContext,
  id: string,
): Promise<ReconcileRequest> {
  const deadline = AbortSignal.timeout(PASS_MS_MAX);
  const isTerminal = process.stderr.isTTY;
  try {
    for (;;) {
      const request = await findRequest(db, organisationId, id);
      if (request !== undefined && request.finished_at !== null) return request;
      if (deadline.aborted) break;
      const step = request?.started_at == null ? 'Polling …' : 'Comparing …';
      if (isTerminal) process.stderr.write(`\r${step}  `);
      await wait(LOOK_MS);
    }
  } finally {
    if (isTerminal) process.stderr.write('\r             \r');
  }
  throw new DatabaseError('The worker has not finished the pass after 30 minutes. See its log.');
}

const AGE = /^(\d{1,5})([hd])$/;

/** Checks the form; the moment itself is reckoned from the database's time. */
function readSince(text: string): string {
  if (AGE.test(text)) return text;
  const moment = momentOf(text);
  if (moment !== undefined) return moment.toISOString();
  throw new InvalidArgumentError(
    'Give ISO 8601 or an age, for example 2026-11-21T08:00:00Z or 24h.',
  );
}

function sinceDate(text: string, now: Date): Date {
  const [, count, unit] = AGE.exec(text) ?? [];
  if (count === undefined) return new Date(text);
  return new Date(now.getTime() - Number(count) * (unit === 'd' ? 24 : 1) * 3_600_000);
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0 || count > 10_000) {
    throw new InvalidArgumentError('Give a whole number from 0 to 10000.');
  }
  return count;
}

function registerFirst(reconcile: Command, openContext: OpenOrdersContext): void {
  reconcile
    .command('first')
    .description(
      'no refund and no answer before service and processor have been asked; after a restore',
    )
    .action(async () => {
      await runOn(openContext, async ({ db, clock, organisationId }) => {
        const nowMs = clock.nowMs();
        await inTransaction(db, (trx) =>
          beginRecoveryCheck(trx, organisationId, { reason: 'asked', aliveMs: null, nowMs }),
        );
        say(
          'Refunds and answers wait until the service has been polled and the processor asked about every open alert. The System page, and /readyz on a private port, tell what they wait for.',
        );
      });
    });
}
