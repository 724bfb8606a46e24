/**
 * Runs what is due at one moment side by side, a lane for each receiver, so that one that hangs does
 * not hold up the others.
 *
 * Within its lane everything keeps its order while the receiver answers promptly. Once one answer is
 * long in coming, the rest of the lane no longer waits for it, up to a number at once.
 */
import { setTimeout as wait } from 'node:timers/promises';

/** Real time after which a receiver no longer counts as prompt. */
const PROMPT_MS = 1_000;

/** How to run a lane's entries. */
export interface LaneRule<Entry> {
  /** Most that are under way at once in a lane. */
  readonly atOnce: number;
  run(entry: Entry): Promise<void>;
}

/** Runs all lanes; resolves when all of them have ended. `run` must not reject. */
export async function runLanes<Entry>(
  lanes: Iterable<readonly Entry[]>,
  rule: LaneRule<Entry>,
): Promise<void> {
  await Promise.all(Array.from(lanes, (lane) => runLane(lane, rule)));
}

async function runLane<Entry>(lane: readonly Entry[], rule: LaneRule<Entry>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  let isPrompt = true;
  for (const entry of lane) {
    const running = rule.run(entry).finally(() => underWay.delete(running));
    underWay.add(running);
    if (isPrompt) isPrompt = await endsPromptly(running);
    while (underWay.size >= rule.atOnce) await Promise.race(underWay);
  }
  await Promise.all(underWay);
}

async function endsPromptly(running: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const late = wait(PROMPT_MS, false, { signal: timer.signal }).catch(() => true);
  const ended = await Promise.race([running.then(() => true), late]);
  timer.abort();
  return ended;
}
