/** When people are told of what is not handed in, and when a submission is looked at again. Pure. */

interface Alarm {
  readonly name: string;
  readonly severity: 'info' | 'warning' | 'error';
}

/** By how much time is left at most; the nearest one counts. */
const ALARMS: readonly (Alarm & { readonly leftMs: number })[] = [
  { name: '24h', leftMs: 24 * 3_600_000, severity: 'error' },
  { name: '3d', leftMs: 72 * 3_600_000, severity: 'warning' },
  { name: '7d', leftMs: 168 * 3_600_000, severity: 'info' },
];

/** It is not known how much time is left: people are told at once. */
const UNDATED: Alarm = { name: 'at once', severity: 'warning' };

/** The alarm that has come; undefined: none yet. */
export function alarmOf(dueBy: Date | null, now: Date): Alarm | undefined {
  if (dueBy === null) return UNDATED;
  const leftMs = dueBy.getTime() - now.getTime();
  return ALARMS.find((each) => leftMs <= each.leftMs);
}

/** Between two looks at least, and at most, in milliseconds. */
const LOOKS_APART_MS = { min: 3_600_000, max: 24 * 3_600_000 };

/**
 * After half of the time until it is sent without a person, so looks get closer; never later than a day, the next alarm, or that moment.
 * What changes at the processor, and what a person says, is looked at when it comes.
 *
 * @param goesAt when it is sent without a person; null: no due date is known
 */
export function nextLook(times: {
  readonly dueBy: Date | null;
  readonly goesAt: Date | null;
  readonly now: Date;
}): Date {
  const { dueBy, goesAt, now } = times;
  const nowMs = now.getTime();
  const { min, max } = LOOKS_APART_MS;
  if (dueBy === null || goesAt === null) return new Date(nowMs + min);
  const halfMs = (goesAt.getTime() - nowMs) / 2;
  const moments = [
    nowMs + Math.min(max, Math.max(min, halfMs)),
    goesAt.getTime(),
    ...ALARMS.map(({ leftMs }) => dueBy.getTime() - leftMs),
  ];
  return new Date(Math.min(...moments.filter((ms) => ms > nowMs)));
}
