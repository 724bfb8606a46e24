/** The outcome of alerts: figures that are kept by the hour, the day and the month. */
import type { Capability } from '../../surface/capability.ts';
import { createRollUp } from './activity.job.ts';
import { activityDay, activityHour, outcomeDay } from './figures.table.ts';

/** How often it is looked whether there is anything to add up, in milliseconds. */
const ROLL_UP_EVERY_MS = 60_000;

export const figures: Capability = {
  name: 'figures',
  tables: [activityHour, activityDay, outcomeDay],
  loops: (work) => [{ name: 'figures', runOnce: createRollUp(work), idleMs: ROLL_UP_EVERY_MS }],
};
