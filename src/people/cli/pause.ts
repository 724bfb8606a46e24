/**
 * `forestall pause`, `resume` and `status`: the kill switch, and the state of the guard rails.
 *
 * They need the database only, so that money can be stopped while everything else is down.
 */
import type { Command } from 'commander';
import { Option } from 'commander';
import { closeBreaker } from '../../alerts/guard/breaker.store.ts';
import { DEFAULT_GUARDS } from '../../alerts/guard/guard-settings.ts';
import type { GuardStatus } from '../../alerts/guard/guard-status.store.ts';
import { readGuardStatus } from '../../alerts/guard/guard-status.store.ts';
import { pauseMoney, resumeMoney, WHILE_PAUSED } from '../../alerts/guard/pause.store.ts';
import { pauseAll, resumeAll } from '../../alerts/guard/pause-all.ts';
import { resumeProcessor } from '../../alerts/guard/processor-breaker.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { groupedLines } from '../../health/health.ts';
import { readCommandSettings, readInstallationPath, readVariables } from '../../running/config.ts';
import { readOrganisations } from '../../running/installation/installation-watcher.ts';
import { readWholeHealth } from '../../running/roles/readiness.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { showLines } from '../../surface/terminal/line-text.ts';
import { print, say } from '../../surface/terminal/print.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext, OrdersContext } from './orders.ts';
import { openToPause } from './running.ts';

/** Whose name is in the audit log. */
const OPERATOR = 'cli';

export function registerPause(program: Command, openContext: OpenOrdersContext): void {
  const run = (work: (context: OrdersContext) => Promise<void>): Promise<void> =>
    runOn(openContext, work);
  program
    .command('pause')
    .option('--reason <text>', 'why, as people will read it', '')
    .option('--installation', 'every organisation of the installation, and those that are added')
    .action(
      async ({ reason, installation }: { readonly reason: string; readonly installation?: true }) =>
        await runOn(openToPause, (context) =>
          pause(context, { reason, isAll: installation === true }),
        ),
    );
  program
    .command('resume')
    .addOption(
      new Option(
        '--breaker',
        'instead: closes the breaker that a flood of alerts has opened',
      ).conflicts(['processor', 'installation']),
    )
    .addOption(
      new Option(
        '--processor',
        'instead: sends again to a processor that refused our own account',
      ).conflicts('installation'),
    )
    .option('--installation', 'instead: ends the stop of the whole installation')
    .action(async (asked: Resumption) => await run(resumption(asked)));
  program
    .command('status')
    .option('--json', 'print JSON')
    .action(async (flags: { readonly json?: boolean }) => {
      await run(async ({ db, clock, organisationId }) => {
        const now = nowDate(clock);
        const health = await readWholeHealth(db, { organisationId, now });
        const status = await readGuardStatus(db, organisationId, now);
        print(
          flags,
          { health, ...status },
          `${showLines(groupedLines(health))}\n\n${show(status)}`,
        );
        if (health.some((part) => part.status === 'failed')) process.exitCode = EXIT.wrong;
      });
    });
}

/** What `resume` is to resume. */
interface Resumption {
  readonly breaker?: boolean;
  readonly processor?: boolean;
  readonly installation?: boolean;
}

function resumption(asked: Resumption): (context: OrdersContext) => Promise<void> {
  if (asked.installation === true) return resumeEverywhere;
  if (asked.breaker === true) return resetBreaker;
  return asked.processor === true ? resumeSending : resume;
}

/** @throws {ConfigError} where there is no installation file */
function everybody(): readonly string[] {
  const file = readInstallationPath();
  if (file === undefined) {
    throw new ConfigError(
      'No installation file is named, so there is one organisation. Leave --installation out.',
    );
  }
  return readOrganisations(file, readVariables()).map(({ id }) => id);
}

async function pause(
  { db, clock, organisationId }: OrdersContext,
  { reason, isAll }: { reason: string; isAll: boolean },
): Promise<void> {
  const request = { operator: OPERATOR, reason, now: nowDate(clock) };
  const done = isAll
    ? await pauseAll(db, { ...request, organisationIds: everybody() })
    : await pauseMoney(db, { ...request, organisationId });
  if (!done) return say('Refunds were paused already.');
  say(
    isAll
      ? `Paused: no refund of any organisation is sent any more. ${WHILE_PAUSED}. "forestall resume --installation" lets refunds go again.`
      : `Paused: no refund is sent any more. ${WHILE_PAUSED}. "forestall resume" lets refunds go again.`,
  );
  if (!isAll) await sayAccepts({ db, organisationId }, request.now);
}

/** Which held alerts are conceded meanwhile. */
async function sayAccepts(
  { db, organisationId }: Pick<OrdersContext, 'db' | 'organisationId'>,
  now: Date,
): Promise<void> {
  const { count, firstAt } = (await readGuardStatus(db, organisationId, now)).acceptsAhead;
  if (count === 0 || firstAt === null) return;
  say(
    `Held alerts that a fallback accepts unless a person decides: ${count}, the first ${utcWords(firstAt)}.`,
  );
}

async function resume({ db, clock, organisationId }: OrdersContext): Promise<void> {
  const now = nowDate(clock);
  const { resumed, released, isStoppedStill } = await resumeMoney(db, {
    organisationId,
    operator: OPERATOR,
    now,
  });
  if (isStoppedStill === true) {
    return say(
      'Its own switch is off. The whole installation is still stopped: "forestall resume --installation".',
    );
  }
  say(resumed ? `Refunds go again. ${released} held alerts continue.` : 'Refunds were not paused.');
}

async function resumeEverywhere({ db, clock }: OrdersContext): Promise<void> {
  const request = { operator: OPERATOR, now: nowDate(clock), organisationIds: everybody() };
  const { resumed, released } = await resumeAll(db, request);
  say(
    resumed
      ? `The installation’s refunds go again. ${released} held alerts go on.`
      : 'The installation was not paused.',
  );
}

async function resumeSending({ db, clock, organisationId }: OrdersContext): Promise<void> {
  const request = { organisationId, operator: OPERATOR, now: nowDate(clock) };
  const { resumed, released } = await resumeProcessor(db, request);
  say(
    resumed
      ? `Refunds are sent to the processor again. ${released} held alerts continue.`
      : 'The processor was not refusing us.',
  );
}

async function resetBreaker({ db, clock, organisationId }: OrdersContext): Promise<void> {
  const settings = readCommandSettings().guard.guards.breaker ?? DEFAULT_GUARDS.breaker;
  if (settings === null) return;
  const scope = { organisationId, settings, now: nowDate(clock) };
  const closed = await inTransaction(db, (trx) => closeBreaker(trx, scope, OPERATOR));
  say(
    closed
      ? 'The breaker is closed: automatic refunds go again. What it held stays with people.'
      : 'The breaker was not open.',
  );
}

function show({ breaker, ...status }: GuardStatus): string {
  const { sentLastHour, sentLastDay, reviewsOpen, approvalsWaiting, acceptsAhead } = status;
  return [
    ...(status.pause === null || status.pause.reason === ''
      ? []
      : [`Stopped    because: ${status.pause.reason}`]),
    `Breaker    ${showBreaker(breaker)}`,
    `Sent       ${showSent(sentLastHour)} in the last hour`,
    `           ${showSent(sentLastDay)} in the last day`,
    `Reviews    ${reviewsOpen} open, ${approvalsWaiting} of them wait for a second person`,
    `Fallbacks  ${acceptsAhead.firstAt === null ? 'none accepts a held alert' : `${acceptsAhead.count} held alerts are accepted unless decided, the first ${utcWords(acceptsAhead.firstAt)}`}`,
  ].join('\n');
}

function showBreaker({ openedAt, threshold }: GuardStatus['breaker']): string {
  if (openedAt !== null) return 'open';
  return threshold === null
    ? 'closed; too little history to know the usual rate'
    : `closed; opens above ${threshold} alerts in a window`;
}

function showSent({ count, amountMinor }: GuardStatus['sentLastDay']): string {
  const sums = Object.entries(amountMinor).map(([currency, minor]) =>
    formatMoney({ currency, amountMinor: minor }),
  );
  return count === 0 ? 'nothing' : `${count} refunds (${sums.join(', ')})`;
}
