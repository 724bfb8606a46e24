/**
 * The night's work, step by step. Each step fails alone: a partition that could not be dropped costs no
 * report. What failed is logged, and people hear of it once a day.
 */
import type { Installation } from '../db/installation.ts';
import { notify } from '../notify/notification.store.ts';

/** One step. */
export interface NightlyStep {
  /** Shown in the log and to people, for example `report`. */
  readonly name: string;
  /** Does it; returns figures for the log. */
  readonly run: () => Promise<object>;
}

/** For whom the steps run. */
export interface NightlyContext extends Pick<Installation, 'db' | 'log' | 'organisationId'> {
  readonly now: Date;
  /** Ends it: what a step was torn from is no failure, and the next night goes on. */
  readonly signal: AbortSignal;
}

/** Runs every step, in order, until told to end. */
export async function runNightly(
  steps: readonly NightlyStep[],
  context: NightlyContext,
): Promise<void> {
  for (const { name, run } of steps) {
    if (context.signal.aborted) return;
    try {
      context.log.info({ step: name, ...(await run()) }, 'nightly step done');
    } catch (error) {
      if (context.signal.aborted) return;
      context.log.error({ err: error, step: name }, 'nightly step failed');
      await tell(context, name);
    }
  }
}

async function tell({ db, log, organisationId, now }: NightlyContext, step: string): Promise<void> {
  try {
    await notify(db, {
      organisationId,
      dedupeKey: `nightly:${step}:${now.toISOString().slice(0, 10)}`,
      kind: 'nightly_failed',
      severity: 'warning',
      text: `The nightly step "${step}" failed; the others ran. The log says why. It is tried again next night.`,
      at: now,
    });
  } catch (error) {
    // The database is away: the log holds what there is to say.
    log.warn({ err: error, step }, 'nobody could be told of it');
  }
}
