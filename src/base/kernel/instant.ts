/**
 * Reads the service's timestamps into one spelling, so that two of them can be compared as text:
 * UTC, always six fractional digits. A `Date` would drop the microseconds that tell two events of
 * one millisecond apart.
 */

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Sorts as text in the order of time. */
export type Instant = string;

const FORM = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,12}))?([Zz]|[+-]\d\d:?\d\d)?)?$/;

const NO_ZONE = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
/** A whole value: a quote within one follows a backslash. */
const NO_ZONE_IN_JSON = /(?<=[:,[])"(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)"(?!:)/g;

/** Before this year nothing the service tells of happened; a year 0001 is somebody's empty value. */
const YEAR_MIN = 1970;

/**
 * Reads ISO 8601: a moment, or a day, which networks mean as midnight UTC. Without an offset it is
 * UTC, as the specification writes all times. Digits beyond microseconds are cut off, not rounded.
 *
 * @returns null for everything else, also for a 30th of February
 */
export function toInstant(value: unknown): Instant | null {
  if (typeof value !== 'string') return null;
  const match = FORM.exec(value);
  if (match === null) return null;
  const [, day = '', time = '00:00:00', fraction = '', offset = 'Z'] = match;
  if (!isDay(day) || !isTime(time)) return null;
  const seconds = `${day}T${time}`;
  const utc = offset === 'Z' || offset === 'z' ? seconds : shift(seconds, offset);
  return `${utc}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

/** `Z` after a moment that names no zone; every other text as it is. */
export function withZone(text: string): string {
  return NO_ZONE.test(text) ? `${text}Z` : text;
}

/** The same for every text of a JSON document that is such a moment. Keys stay. */
export function withZones(json: string): string {
  return json.replaceAll(NO_ZONE_IN_JSON, '"$1Z"');
}

/** The instant of a `Date`. */
export function instantOf(date: Date): Instant {
  return `${date.toISOString().slice(0, -1)}000Z`;
}

/** A moment to the minute, as people read it: `2026-03-01 12:00 UTC`. */
export function utcWords(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The instant's milliseconds since 1970, microseconds cut off. */
export function epochMsOf(instant: Instant): number {
  return Date.parse(`${instant.slice(0, 23)}Z`);
}

function isDay(day: string): boolean {
  const [year, month, date] = [
    Number(day.slice(0, 4)),
    Number(day.slice(5, 7)),
    Number(day.slice(8)),
  ];
  if (year < YEAR_MIN || month < 1 || month > 12 || date < 1) return false;
  // Day 0 of the next month is the last of this one.
  return date <= 28 || date <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function isTime(time: string): boolean {
  return time.slice(0, 2) < '24' && time.slice(3, 5) < '60' && time.slice(6) < '60';
}

/** The same moment in UTC. */
function shift(seconds: string, offset: string): string {
  const digits = offset.replace(':', '');
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  const aheadMs = (digits.startsWith('-') ? -minutes : minutes) * 60_000;
  return new Date(Date.parse(`${seconds}Z`) - aheadMs).toISOString().slice(0, 19);
}

const DAY_MS = 24 * 60 * 60_000;

/** The midnight, UTC, at which the moment's day began. */
export function startOfUtcDay(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS);
}
