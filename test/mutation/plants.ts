/**
 * Bugs planted by hand where the code is SQL or waits for the outside, each with the tests that must
 * notice. A text that does not stand exactly once in its file is an error, so that no plant outlives the
 * code it breaks.
 */
import { RETENTION_BUGS } from './plants-retention.ts';

/** A bug, and who must notice it. */
export interface PlantedBug {
  /** What is broken, as a person says it. */
  readonly name: string;
  /** Below `src/`, or a migration. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** A test file below `test/`. */
  readonly test: string;
  /** Part of the names of the tests to run; all of the file without it. */
  readonly only?: string;
}

export const PLANTED: readonly PlantedBug[] = [
  {
    name: 'a refund moves whatever its version',
    file: 'refund/refund.store.ts',
    find: "    .where('state', '=', from.state)\n    .where('version', '=', from.version)\n    .returningAll()",
    put: '    .returningAll()',
    test: 'integration/refund/locks.test.ts',
  },
  {
    name: 'every state starts the ladder anew',
    file: 'refund/refund.store.ts',
    find: 'isSameTry(from.state, to) ? {}',
    put: 'to === from.state ? {}',
    test: 'integration/refund/recovery.test.ts',
    only: 'bounds',
  },
  {
    name: 'a repeated request is repeated as soon as it is proven absent',
    file: 'refund/unknown-rule.ts',
    find: 'const isFirst = sentAtMs === firstSentAtMs;',
    put: 'const isFirst = true;',
    test: 'integration/refund/recovery.test.ts',
    only: 'bounds',
  },
  {
    name: 'an intent is tried every two seconds',
    file: 'refund/recover-refund.ts',
    find: 'nextTryMs(held.attempts, {',
    put: 'nextTryMs(0, {',
    test: 'integration/refund/recovery.test.ts',
    only: 'bounds',
  },
  {
    name: 'a missing answer is a refusal',
    file: 'refund/send-refund.ts',
    find: "      return { to: 'UNKNOWN', reason: outcome.reason };",
    put: "      return { to: 'REJECTED', failureCode: outcome.reason };",
    test: 'integration/refund/recovery.test.ts',
    only: 'the reply is missing',
  },
  {
    name: 'the lease is not read before the socket write',
    file: 'refund/send-refund.ts',
    find: "  if (!(await holdsRefundLease(db, sent, nowDate(clock)))) return;\n  if (await isPaused(db, sent.organisation_id)) return await stopUnsent(deps, held, sent);\n  await crashPoint('K8');\n  // Once more without an await before the call: a process may have slept through its own query.\n  const leftMs = leaseUntilMs - clock.nowMs();\n  if (leftMs <= 0) return;\n  const signal = AbortSignal.timeout(leftMs);\n",
    put: "  if (await isPaused(db, sent.organisation_id)) return await stopUnsent(deps, held, sent);\n  await crashPoint('K8');\n  // Once more without an await before the call: a process may have slept through its own query.\n  const leftMs = leaseUntilMs - clock.nowMs();\n  const signal = AbortSignal.timeout(Math.max(leftMs, LEASE_MS));\n",
    test: 'integration/refund/recovery.test.ts',
    only: 'slept through its lease',
  },
  {
    name: 'a held refund pages nobody when it was not sent',
    file: 'refund/send-refund.ts',
    find: '    await pageIfNeeded(trx, current, { row, now });\n',
    put: '',
    test: 'integration/refund/reconcile-rdr.test.ts',
  },
  {
    name: 'a network refund does not stop ours',
    file: 'refund/send-refund.ts',
    find: "  if (refund.network_alert_id !== null) return 'network_refunded';\n",
    put: '',
    test: 'integration/refund/reconcile-rdr.test.ts',
  },
  {
    name: 'what the processor refused is started anew by itself',
    file: 'refund/reserve-refund.ts',
    find: "existing.state === 'REJECTED' && (existing.first_sent_at === null || byOperator)",
    put: "existing.state === 'REJECTED' && (existing.first_sent_at !== undefined || byOperator)",
    test: 'integration/refund/saga.test.ts',
  },
  {
    name: 'a claim takes rows that somebody holds',
    file: 'refund/refund-lease.store.ts',
    find: "        .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))\n",
    put: '',
    test: 'integration/refund/locks.test.ts',
  },
  {
    name: 'REFUND is declared without looking whether the refund stands (I2)',
    file: 'declare/declare-steps.ts',
    find: 'if (objection !== undefined) return await hold(deps, claim, objection);',
    put: '',
    test: 'integration/declare/declare.test.ts',
  },
  {
    name: 'an answer is sent by a worker that lost its lease',
    file: 'declare/declare-steps.ts',
    find: '  if (!(await holdsLease(db, claim, nowDate(clock)))) return;\n  const leftMs = (claim.lease_until?.getTime() ?? 0) - clock.nowMs();\n  if (leftMs <= 0) return;\n',
    put: '  const leftMs = Math.max(1_000, (claim.lease_until?.getTime() ?? 0) - clock.nowMs());\n',
    test: 'integration/refund/recovery.test.ts',
    only: 'woken before its PATCH',
  },
  {
    name: 'a dispute is accepted although money is at stake (I3)',
    file: 'refund/refund-state.ts',
    find: "  'UNKNOWN',\n  'PENDING',\n  'CONFIRMED',\n  'EXTERNAL',\n  'HUMAN',\n];",
    put: '];',
    test: 'integration/refund/saga.test.ts',
  },
  {
    name: 'what the caps count is not locked until it is sent',
    file: 'guard/caps.store.ts',
    find: '  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);',
    put: '  await sql`select ${name}::text`.execute(trx);',
    test: 'integration/guard/guard-refund.test.ts',
  },
  {
    name: 'refunds whose answer is missing do not count for the caps',
    file: 'guard/caps.store.ts',
    find: "['REJECTED', 'EXTERNAL']",
    put: "['REJECTED', 'EXTERNAL', 'UNKNOWN', 'SENT']",
    test: 'integration/guard/guard-refund.test.ts',
  },
  {
    name: 'one person is enough',
    file: 'guard/approval.store.ts',
    find: 'export const PEOPLE_NEEDED = 2;',
    put: 'export const PEOPLE_NEEDED = 1;',
    test: 'integration/guard/guard-refund.test.ts',
  },
  {
    name: 'a person’s refund that waits for approval has no fallback',
    file: 'refund/refunding-step.ts',
    find: "code === 'approval_needed' && claim.fallback_action === null",
    put: 'false',
    test: 'flow/safeguards.test.ts',
    only: 'gives way',
  },
  {
    name: 'a late approval is taken',
    file: 'guard/approve.ts',
    find: "    if (row?.state !== 'PENDING' || !waits) return notAsked(row, held);",
    put: '    if (row === undefined) return notAsked(row, held);',
    test: 'flow/safeguards.test.ts',
    only: 'gives way',
  },
  {
    name: 'the kill switch is not read before the socket write',
    file: 'refund/send-refund.ts',
    find: '  if (await isPaused(db, sent.organisation_id)) return await stopUnsent(deps, held, sent);\n',
    put: '',
    test: 'integration/guard/guard-refund.test.ts',
  },
  {
    name: 'the sweep records no missed alert',
    file: 'cases/deadline.store.ts',
    find: "    .where('c.deadline_at', '<=', now)\n",
    put: "    .where('c.deadline_at', '<=', new Date(0))\n",
    test: 'integration/cases/deadline-sweep.test.ts',
  },
  {
    name: 'the sweep mends no plan behind the deadline (I5)',
    file: 'cases/deadline.store.ts',
    find: '.set({ next_action_at: sql<Date>`deadline_at` })',
    put: '.set({ next_action_at: sql<Date>`next_action_at` })',
    test: 'integration/cases/deadline-sweep.test.ts',
  },
  {
    name: 'the budget forgets what was given half a minute ago',
    file: 'client/budget.store.ts',
    find: 'where given > now - ${WINDOW_MS} * interval',
    put: 'where given > now - ${WINDOW_MS / 2} * interval',
    test: 'integration/client/budget.store.test.ts',
  },
  {
    name: 'the budget is not locked while it is counted',
    file: 'client/budget.store.ts',
    find: '      for update\n    ), timed',
    put: '    ), timed',
    test: 'integration/client/budget.store.test.ts',
  },
  {
    name: 'due cases are claimed in any order',
    file: 'cases/case.store.ts',
    find: "        .orderBy('deadline_at')\n        .orderBy('alert_id')\n        .limit(limit)\n        .forUpdate()",
    put: "        .orderBy('alert_id')\n        .limit(limit)\n        .forUpdate()",
    test: 'integration/cases/case-store.test.ts',
  },
  {
    name: 'a loop waits for its whole batch',
    file: 'jobs/slots.ts',
    find: 'for (const row of rows) void start(row, onFree);',
    put: 'await Promise.all(rows.map((row) => start(row, onFree)));',
    test: 'unit/jobs/slots.test.ts',
  },
  {
    name: 'a loop stops without waiting for what is under way',
    file: 'jobs/loop.ts',
    find: '      await Promise.all([finished, spec.finish?.()]);\n      await spec.finish?.();\n',
    put: '      await finished;\n',
    test: 'crash/crash-around.test.ts',
    only: 'orderly stop',
  },
  ...RETENTION_BUGS,
];
