/** Forgets what no rule and no check can look at any more, so that such states are one. */
import type { RuleName, Rules } from './rules.ts';
import { isOut } from './truth.ts';
import type { Movement, World } from './world.ts';
import { NO_MOVEMENT } from './world.ts';

/** Without one of these a movement that has ended still matters. */
const REMEMBERING: readonly RuleName[] = [
  'movementsPerDispute',
  'newerReadingWins',
  'lockedSend',
  'provenAbsent',
  'refusalIsProof',
  'personWaitsLifetime',
  'leaseRead',
  'approvalBindsMovement',
];

const ENDED: ReadonlySet<string> = new Set(['REJECTED', 'REVERSED', 'NOT_SENT']);

export function tidy(world: World): void {
  const forgets = forgetsEnded(world.rules);
  for (const movement of world.movements) {
    if (movement.state === 'none') continue;
    if (forgets && isForgotten(movement)) Object.assign(movement, NO_MOVEMENT);
    const { state } = movement;
    if (state !== 'SENT' && movement.requests === 0) movement.excused = false;
    if (state !== 'SENT' && state !== 'UNKNOWN' && state !== 'HUMAN') movement.outlived = false;
  }
}

const known = new WeakMap<Rules, boolean>();

function forgetsEnded(rules: Rules): boolean {
  const answer = known.get(rules) ?? REMEMBERING.every((name) => rules[name]);
  known.set(rules, answer);
  return answer;
}

function isForgotten({ state, again, truth, requests }: Movement): boolean {
  return ENDED.has(state) && !again && !isOut(truth) && requests === 0;
}
