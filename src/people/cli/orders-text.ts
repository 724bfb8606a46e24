/** What the `orders` commands print for people. Pure. */
import { counted } from '../../base/kernel/counted.ts';
import type { FeedStatus, ProgrammeReadiness } from '../../orders/feed-status.store.ts';
import type { ImportSummary } from '../../orders/import/import-orders.ts';
import type { LintFinding, LintReport } from '../../orders/import/lint.ts';
import { ORDER_STATES } from '../../orders/order-state.ts';
import { PROGRAMME_TITLES } from '../../orders/programme.ts';
import type { ReleaseResult, ReplayResult } from '../../orders/replay.ts';
import { table } from '../../surface/terminal/lined-up.ts';

function showReadiness(readiness: readonly ProgrammeReadiness[]): string {
  return table([
    ['Programme', 'Ready', 'Of', 'Share', 'Missing most often'],
    ...readiness.map(({ programme, ready, orders, percent, mostMissing }) => [
      `${PROGRAMME_TITLES[programme]} (${programme})`,
      ready,
      orders,
      percent === null ? '-' : `${percent} %`,
      mostMissing === null ? '' : `${mostMissing.field} on ${mostMissing.orders}`,
    ]),
  ]);
}

export function showSummary(summary: ImportSummary): string {
  const lines = [
    `${summary.accepted} accepted, ${summary.unchanged} known before, ${summary.rejected} rejected, ${summary.linesDone} lines.`,
  ];
  if (summary.resumedAfterLine > 0)
    lines.unshift(`Went on after line ${summary.resumedAfterLine}.`);
  if (summary.held > 0) {
    lines.push(
      `${summary.held} are held because fields are missing. See "forestall orders status", then send them corrected or release them.`,
    );
  }
  if (summary.rejectsPath !== null)
    lines.push(`Rejected lines with reasons: ${summary.rejectsPath}`);
  if (!summary.finished) lines.push('Interrupted. Run the same command again to continue.');
  return lines.join('\n');
}

export function showLint(report: LintReport): string {
  const { a, b, c, none } = report.cards;
  return [
    `${report.orders} orders read, ${report.refused} refused.`,
    '',
    showReadiness(report.readiness),
    '',
    `Card payments found by ARN (a): ${a}, by authorisation code and last 4 (b): ${b}, by BIN to currency (c): ${c}, by none: ${none}.`,
    ...showFindings('Refused', report.refusals),
    ...showFindings('Would be held', report.faults),
    ...showFindings('Warnings', report.warnings),
  ].join('\n');
}

function showFindings(title: string, findings: readonly LintFinding[]): string[] {
  if (findings.length === 0) return [];
  return [
    '',
    `${title}:`,
    ...findings.map(({ text, orders, first }) => `  ${text} (${orders}, first at ${first})`),
  ];
}

export function showStatus(status: FeedStatus): string {
  const lines = [
    table(ORDER_STATES.map((state) => [state, status.orders[state] ?? 0])),
    '',
    `Updates due: ${status.updates.due}, refused: ${status.updates.parked}.`,
    status.oldestWaiting === null
      ? 'No order waits.'
      : `Oldest waiting: ${status.oldestWaiting.referenceId}, for ${status.oldestWaiting.ageSeconds} s.`,
    `Created per minute over the last five: ${status.createdPerMinute}.`,
  ];
  if (status.differing > 0) {
    lines.push(`${status.differing} orders are held by the service with another content.`);
  }
  for (const { integrationId, code, referenceId, since, nextTry, reason } of status.stopped) {
    lines.push(
      '',
      `Orders of integration ${integrationId} are not sent since ${since}: most were refused with ${code}, for example ${referenceId}.`,
      `  ${reason}`,
      `  One is tried again at ${nextTry}. At once: "forestall orders resume ${integrationId}"; all of them, whatever is refused: --anyway.`,
    );
  }
  if (status.lastError !== null) {
    lines.push(
      `Last error: ${status.lastError.at} ${status.lastError.referenceId}: ${status.lastError.reason}`,
    );
  }
  if (status.troubles.length > 0) {
    lines.push('', 'Waiting for a person:');
    for (const { state, count, reason, referenceId } of status.troubles) {
      lines.push(`  ${state} ${count}: ${reason} (for example ${referenceId})`);
    }
  }
  return [...lines, '', showReadiness(status.readiness)].join('\n');
}

export function showReplay(result: ReplayResult, dryRun: boolean): string {
  const [send, read] = dryRun ? ['Would send', 'read'] : ['Sends', 'reads'];
  const lines = [
    `${send} ${counted(result.sentAgain, 'order')} and ${counted(result.updates, 'update')} again, and ${read} ${result.readBack} back to compare.`,
  ];
  if (result.held > 0) {
    lines.push(
      `Held and left so: ${counted(result.held, 'order')}. To send what is ready: "forestall orders release".`,
    );
  }
  if (result.erased > 0) {
    lines.push(
      `Left alone, because their customers were erased: ${counted(result.erased, 'order')}.`,
    );
  }
  return lines.join('\n');
}

export function showRelease(result: ReleaseResult): string {
  const lines = [`${result.released} released, ${result.stillHeldCount} still held.`];
  for (const { referenceId, reason } of result.stillHeld) lines.push(`  ${referenceId}: ${reason}`);
  if (result.stillHeldCount > 0) {
    lines.push(
      'Send them again corrected, or add --anyway; missing fields can never be added later.',
    );
  }
  return lines.join('\n');
}

/** What `orders resume` says it did, with and without `--anyway`. */
export const ALL_SENT = 'All orders are sent, whatever is refused. See "forestall orders status".';
export const ONE_TRIED =
  'One order is tried now; once it is taken, the others follow. See "forestall orders status".';
