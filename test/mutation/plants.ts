/**
 * Bugs planted by hand where the code is SQL or waits for the outside, each with the tests that must
 * notice. A text that does not stand exactly once in its file is an error, so that no plant outlives the
 * code it breaks.
 */
import { APPLY_BUGS } from './plants-apply.ts';
import { LEDGER_BUGS } from './plants-ledger.ts';
import { RETENTION_BUGS } from './plants-retention.ts';
import { SAME_CHARGE_BUGS } from './plants-same-charge.ts';

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
    name: 'a movement moves whatever its version',
    file: 'alerts/ledger/movement.store.ts',
    find: "\n    .where('state', '=', from.state)\n    .where('version', '=', from.version);\n  const charge = {",
    put: ';\n  const charge = {',
    test: 'integration/refund/locks.test.ts',
  },
  {
    name: 'every state starts the ladder anew',
    file: 'alerts/ledger/movement.store.ts',
    find: 'isSameTry(from.state, to) ? {}',
    put: 'to === from.state ? {}',
    test: 'integration/refund/recovery.test.ts',
    only: 'bounds',
  },
  {
    name: 'a repeated request is repeated as soon as it is proven absent',
    file: 'alerts/refund/unknown-rule.ts',
    find: 'const isFirst = sentAtMs === firstSentAtMs;',
    put: 'const isFirst = true;',
    test: 'integration/refund/recovery.test.ts',
    only: 'bounds',
  },
  {
    name: 'a missing answer is a refusal',
    file: 'alerts/refund/send-movement.ts',
    find: "    case 'unknown':\n      return { to: 'UNKNOWN', reason: outcome.reason };",
    put: "    case 'unknown':\n      return { to: 'REJECTED', failureCode: outcome.reason, failureClass: 'retry' };",
    test: 'integration/refund/recovery.test.ts',
    only: 'the reply is missing',
  },
  {
    name: 'the lease is not read before the socket write',
    file: 'alerts/refund/send-movement.ts',
    find: "  if (standing === 'lease_lost') return;\n  if (standing === 'paused') return await stopUnsent(deps, sent, context);\n  await crashPoint('refund.cleared');\n  // Once more without an await before the call: a process may have slept through its own query.\n  const leftMs = leaseUntilMs - clock.nowMs();\n  if (leftMs <= 0) return;\n",
    put: "  if (standing === 'paused') return await stopUnsent(deps, sent, context);\n  await crashPoint('refund.cleared');\n  const leftMs = Math.max(10_000, leaseUntilMs - clock.nowMs());\n",
    test: 'integration/refund/recovery.test.ts',
    only: 'slept through its lease',
  },
  {
    name: 'the kill switch is not read before the socket write',
    file: 'alerts/refund/send-movement.ts',
    find: "  if (standing === 'paused') return await stopUnsent(deps, sent, context);\n",
    put: '',
    test: 'integration/guard/guard-refund.test.ts',
  },
  {
    name: 'network money that waits is not taken over by its charge (L8)',
    file: 'alerts/ledger/adopt.store.ts',
    find: "charge_reference is null and kind = 'network'",
    put: "charge_reference is null and kind = 'void'",
    test: 'integration/refund/reconcile-rdr.test.ts',
  },
  {
    name: 'a ledger is read as it was before its lock was waited for',
    file: 'alerts/ledger/adopt.store.ts',
    find: 'const isOld = row.seen !== version;',
    put: 'const isOld = false;',
    test: 'integration/refund/locks.test.ts',
  },
  {
    name: 'the network’s refund stays what it first said',
    file: 'alerts/ledger/with-ledger.ts',
    find: 'const refreshed = await refreshNetwork(trx, ledger, { charge, now });',
    put: 'const refreshed = ledger;',
    test: 'integration/refund/reconcile-rdr.test.ts',
  },
  {
    name: 'a ledger that changed while the processor was asked is good enough (L9)',
    file: 'alerts/ledger/with-ledger.ts',
    find: 'version !== reading.version',
    put: 'version < reading.version',
    test: 'integration/refund/locks.test.ts',
  },
  {
    name: 'money that went back twice is told to nobody (L1)',
    file: 'alerts/ledger/tell-consequences.ts',
    find: 'if (why !== undefined) return await tellPaidTooOften(trx, change, why);',
    put: 'if (why !== undefined) return;',
    test: 'integration/refund/reconcile-rdr.test.ts',
  },
  {
    name: 'cover that was lost is told to nobody (L6)',
    file: 'alerts/ledger/tell-consequences.ts',
    find: 'for (const alert of lostCover(before, after, change)) await tellUncovered(trx, change, alert);',
    put: '',
    test: 'integration/refund/reconcile-rdr.test.ts',
  },
  {
    name: 'a refused key is used again',
    file: 'alerts/refund/refund-steps.ts',
    find: 'let round = nextRound(ledger.movements.filter(isOurs));',
    put: 'let round = ledger.movements.filter(isOurs)[0]?.round ?? 1;',
    test: 'integration/refund/saga.test.ts',
    only: 'tried again under a new key',
  },
  {
    name: 'a refusal of our own making stops nothing',
    file: 'alerts/refund/send-movement.ts',
    find: '    await noteRefusal(trx, { organisationId, settlement, now });\n',
    put: '',
    test: 'integration/refund/saga.test.ts',
    only: 'our own fault',
  },
  {
    name: 'a request that may still execute is called off by a person (L3)',
    file: 'alerts/review/operator-statements.ts',
    find: "if (now.getTime() <= provenMs) return refuse('may_still_execute');",
    put: '',
    test: 'integration/ledger/statements.test.ts',
    only: 'DID_NOT_EXECUTE',
  },
  {
    name: 'a claim takes rows that somebody holds',
    file: 'alerts/ledger/movement-lease.store.ts',
    find: "        .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))\n",
    put: '',
    test: 'integration/refund/locks.test.ts',
  },
  {
    name: 'REFUND is declared without looking whether the money is there (L4)',
    file: 'alerts/declare/declare-steps.ts',
    find: "if (isCovered(ledger, { disputeId, ...money }, pendingCounts)) return { kind: 'covered' };",
    put: "if (ledger !== undefined) return { kind: 'covered' };",
    test: 'integration/declare/declare.test.ts',
  },
  {
    name: 'an answer is sent by a worker that lost its lease',
    file: 'alerts/declare/declare-steps.ts',
    find: '  const leftMs = (claim.lease_until?.getTime() ?? 0) - clock.nowMs();\n  if (leftMs <= 0) return;\n',
    put: '  const leftMs = Math.max(1_000, (claim.lease_until?.getTime() ?? 0) - clock.nowMs());\n',
    test: 'integration/refund/recovery.test.ts',
    only: 'woken before its PATCH',
  },
  {
    name: 'a dispute is accepted although money is at stake (L5)',
    file: 'alerts/ledger/movement-state.ts',
    find: "export const MAY_HAVE_EXECUTED: readonly MovementState[] = [\n  'SENT',\n  'UNKNOWN',\n  'PENDING',\n  'CONFIRMED',\n  'HUMAN',\n];",
    put: 'export const MAY_HAVE_EXECUTED: readonly MovementState[] = [];',
    test: 'integration/ledger/statements.test.ts',
  },
  {
    name: 'what the caps count is not locked until it is sent',
    file: 'alerts/guard/caps.store.ts',
    find: '  const turn = organisationLock(organisationId, CAPS_LOCK);',
    put: '  const turn = organisationLock(organisationId, `${Math.random()}`);',
    test: 'integration/guard/guard-refund.test.ts',
  },
  {
    name: 'refunds whose answer is missing do not count for the caps',
    file: 'alerts/guard/caps.store.ts',
    find: "('REJECTED', 'NOT_SENT')",
    put: "('REJECTED', 'NOT_SENT', 'UNKNOWN', 'SENT')",
    test: 'integration/guard/guard-refund.test.ts',
  },
  {
    name: 'one person is enough',
    file: 'alerts/guard/approval.store.ts',
    find: 'export const PEOPLE_NEEDED = 2;',
    put: 'export const PEOPLE_NEEDED = 1;',
    test: 'integration/guard/guard-refund.test.ts',
  },
  {
    name: 'a person’s refund that came to nothing has no fallback',
    file: 'alerts/refund/send-movement.ts',
    find: "claim.fallback_action === null ? await readPolicyFallback(trx, claim) : 'keep'",
    put: "'keep'",
    test: 'integration/ledger/rows.test.ts',
    only: 'policy’s fallback',
  },
  {
    name: 'a late approval is taken',
    file: 'alerts/guard/approve.ts',
    find: "  if (row.state !== 'PENDING' || !waits) return notAsked(row, held);",
    put: '',
    test: 'flow/safeguards.test.ts',
    only: 'gives way',
  },
  {
    name: 'the sweep records no missed alert',
    file: 'alerts/cases/deadline.store.ts',
    find: "    .where('c.deadline_at', '<=', now)\n",
    put: "    .where('c.deadline_at', '<=', new Date(0))\n",
    test: 'integration/cases/deadline-sweep.test.ts',
  },
  {
    name: 'the sweep mends no plan behind the deadline (I5)',
    file: 'alerts/cases/deadline.store.ts',
    find: '.set({ next_action_at: sql<Date>`deadline_at` })',
    put: '.set({ next_action_at: sql<Date>`next_action_at` })',
    test: 'integration/cases/deadline-sweep.test.ts',
  },
  {
    name: 'the budget forgets what was given half a minute ago',
    file: 'service/budget/budget.store.ts',
    find: 'where given > now - ${WINDOW_MS} * interval',
    put: 'where given > now - ${WINDOW_MS / 2} * interval',
    test: 'integration/client/budget.store.test.ts',
  },
  {
    name: 'the budget is not locked while it is counted',
    file: 'service/budget/budget.store.ts',
    find: '      for update\n    ), timed',
    put: '    ), timed',
    test: 'integration/client/budget.store.test.ts',
  },
  {
    name: 'due cases are claimed in any order',
    file: 'alerts/cases/case-claim.store.ts',
    find: 'order by deadline_at, alert_id',
    put: 'order by alert_id',
    test: 'integration/cases/case-store.test.ts',
  },
  {
    name: 'cases are claimed while a look is under way',
    file: 'alerts/cases/case-claim.store.ts',
    find: 'not (select is_shut from gate) and ',
    put: '',
    test: 'integration/recovery-check/restore.long.test.ts',
  },
  {
    name: 'a movement is released whatever its version',
    file: 'alerts/ledger/movement-lease.store.ts',
    find: "    .where('version', '=', held.version)\n    .executeTakeFirst();",
    put: '    .executeTakeFirst();',
    test: 'integration/refund/locks.test.ts',
    only: 'CAS',
  },
  {
    name: 'movements are claimed while a look is under way',
    file: 'alerts/ledger/movement-lease.store.ts',
    find: '        .where(sql<boolean>`not ${isShut}`)\n',
    put: '',
    test: 'integration/refund/locks.test.ts',
  },
  {
    name: 'a loop waits for its whole batch',
    file: 'base/jobs/worker-pool.ts',
    find: 'for (const row of rows) void start(row, onSlotFree).finally(() => slots?.giveBack(1));',
    put: 'await Promise.all(rows.map((row) => start(row, onSlotFree).finally(() => slots?.giveBack(1))));',
    test: 'unit/jobs/worker-pool.test.ts',
  },
  {
    name: 'a loop stops without waiting for what is under way',
    file: 'base/jobs/loop.ts',
    find: '      await Promise.all([finished, spec.finish?.()]);\n      await spec.finish?.();\n',
    put: '      await finished;\n',
    test: 'crash/crash-around.test.ts',
    only: 'orderly stop',
  },
  {
    name: 'organisations that share an account look at a charge at the same time',
    file: 'alerts/guard/shared-account.store.ts',
    find: '      await lockOrganisation(trx, ALL_ORGANISATIONS, ACCOUNT_LOCK);\n',
    put: '',
    test: 'integration/guard/shared-account.test.ts',
  },
  {
    name: 'the request of another organisation on the charge is overlooked',
    file: 'alerts/guard/shared-account.store.ts',
    find: "filter (where state in ('SENT', 'UNKNOWN', 'HUMAN'))",
    put: "filter (where state in ('HUMAN'))",
    test: 'integration/guard/shared-account.test.ts',
  },
  {
    name: 'a part that a person chose is sent again once its lost answer is found',
    file: 'alerts/ledger/verdict.ts',
    find: "made.state === 'CONFIRMED' ? ",
    put: "made.state === 'HUMAN' ? ",
    test: 'flow/operator.test.ts',
  },
  {
    name: 'what may be our own request, shown without its key, answers another complaint',
    file: 'alerts/ledger/allocate.ts',
    find: "observedFrom === 'processor' && isAlike",
    put: "observedFrom === 'nobody' && isAlike",
    test: 'integration/refund/shown-twice.test.ts',
  },
  {
    name: 'a person names a charge that is not the alert’s',
    file: 'alerts/review/operator-decision.ts',
    find: "if (action !== 'REFUND' && chargeReference !== current.charge_reference) return 'other_charge';",
    put: '',
    test: 'integration/ledger/said-amiss.test.ts',
  },
  {
    name: 'a lost request is repeated beside what somebody else has refunded meanwhile',
    file: 'alerts/refund/recover-movement.ts',
    find: 'const { ledger: without } = allocate({ ...ledger, movements });',
    put: 'const without = { ...ledger, movements };',
    test: 'integration/refund/meanwhile.test.ts',
  },
  {
    name: 'a processor that does not know the charge proves that nothing executed',
    file: 'alerts/refund/look-up.ts',
    find: "charge.kind === 'absent' ? { kind: 'unavailable', reason: CHARGE_GONE } : ABSENT",
    put: 'ABSENT',
    test: 'integration/refund/recovery.test.ts',
    only: 'proves nothing',
  },
  ...LEDGER_BUGS,
  ...RETENTION_BUGS,
  ...APPLY_BUGS,
  ...SAME_CHARGE_BUGS,
];
