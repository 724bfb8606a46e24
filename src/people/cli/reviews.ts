/** `forestall reviews`: the queue of held alerts, least time left first; and handing one over to somebody. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { holdSentence } from '../../alerts/cases/hold-reason.ts';
import { handOverReview, REVIEW_REFUSALS } from '../../alerts/review/review.ts';
import type { Review } from '../../alerts/review/review-queue.store.ts';
import { listReviews } from '../../alerts/review/review-queue.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { listColleagues } from '../../surface/access/operator.store.ts';
import { terminalWidth } from '../../surface/terminal/line-text.ts';
import { print, say } from '../../surface/terminal/print.ts';
import { wrapWords } from '../../surface/terminal/wrap-words.ts';
import { runOn } from './lifecycle.ts';
import { refuse } from './operator-support.ts';
import type { OpenOrdersContext, OrdersContext } from './orders.ts';

/** Reviews shown when nothing is asked for, and at most. */
const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 1_000;

export function registerReviews(program: Command, openContext: OpenOrdersContext): void {
  const reviews = program
    .command('reviews')
    .option('--limit <count>', `how many, at most ${LIMIT_MAX}`, readLimit, LIMIT_DEFAULT)
    .option('--json', 'print JSON')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      await runOn(openContext, async ({ db, clock, organisationId }) => {
        const now = nowDate(clock);
        const held = await listReviews(db, { organisationId, now, limit });
        print({ json: json === true }, held, show(held, now));
      });
    });
  reviews
    .command('hand-over <alert> <operator>')
    .description('gives a review that nobody holds to an operator who may decide, and tells people')
    .action(
      async (alertId: string, name: string) =>
        await runOn(openContext, (context) => handOver(context, alertId, name)),
    );
}

/** Whose name is in the audit log. */
const OPERATOR = 'cli';

async function handOver(
  { db, clock, organisationId }: OrdersContext,
  alertId: string,
  name: string,
): Promise<void> {
  const to = (await listColleagues(db, organisationId, OPERATOR)).find((one) => one === name);
  if (to === undefined) {
    return refuse(`No operator "${name}" may decide. See "forestall operators list".`);
  }
  const act = { organisationId, alertId, operator: OPERATOR, now: nowDate(clock) };
  const result = await handOverReview(db, act, to);
  if (!result.ok) return refuse(REVIEW_REFUSALS[result.reason]);
  say(`${to} has the review of ${alertId} until ${result.claimedUntil?.toISOString()}.`);
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > LIMIT_MAX) {
    throw new InvalidArgumentError(`Give a number from 1 to ${LIMIT_MAX}.`);
  }
  return limit;
}

export function show(reviews: readonly Review[], now: Date): string {
  if (reviews.length === 0) return 'Nothing waits for a person.';
  return reviews.map((review) => showOne(review, now)).join('\n');
}

function showOne(review: Review, now: Date): string {
  const { alertId, amountMinor, currency, holdReason, claimedBy, fallbackAt } = review;
  const amount =
    amountMinor === null || currency === null ? '-' : formatMoney({ amountMinor, currency });
  const fallback =
    fallbackAt === null
      ? 'Nothing happens by itself'
      : `Else ${review.fallbackAction} in ${timeLeft(fallbackAt, now)}`;
  const who = claimedBy === null ? '' : `  [${claimedBy}]`;
  const why = wrapWords(
    `${holdSentence(holdReason ?? '')} ${fallback}.`,
    terminalWidth() - INDENT.length,
  );
  const head = `${timeLeft(review.actsAt, now).padStart(8)}  ${amount.padStart(14)}  ${alertId}${who}`;
  return [head, ...why.map((text) => INDENT + text)].join('\n');
}

const INDENT = ' '.repeat(10);
const HOUR_MS = 3_600_000;

/** `31h 05m`, or `over` once it has passed. */
function timeLeft(at: Date, now: Date): string {
  const leftMs = at.getTime() - now.getTime();
  if (leftMs <= 0) return 'over';
  const minutes = Math.floor((leftMs % HOUR_MS) / 60_000);
  return `${Math.floor(leftMs / HOUR_MS)}h ${String(minutes).padStart(2, '0')}m`;
}
