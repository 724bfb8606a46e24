/** Weekday and hour in a time zone of the merchant's. */

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** Making a formatter is slow; a process meets few zones. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Whether the runtime knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The day of the week at `moment` (ISO 8601); null when that is no moment. */
export function weekdayIn(timeZone: string, moment: string): string | null {
  const weekday = partOf(timeZone, moment, 'weekday')?.toLowerCase();
  return WEEKDAYS.find((day) => day === weekday) ?? null;
}

/** The hour from 0 to 23 at `moment` (ISO 8601); null when that is no moment. */
export function hourIn(timeZone: string, moment: string): number | null {
  const hour = partOf(timeZone, moment, 'hour');
  return hour === undefined ? null : Number(hour);
}

function partOf(timeZone: string, moment: string, part: 'weekday' | 'hour'): string | undefined {
  const atMs = Date.parse(moment);
  if (!Number.isFinite(atMs)) return undefined;
  const parts = formatOf(timeZone).formatToParts(atMs);
  return parts.find(({ type }) => type === part)?.value;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  FORMATS.set(timeZone, format);
  return format;
}
