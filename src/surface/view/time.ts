/**
 * Moments and durations. The server writes UTC; the page's script turns it into the viewer's own zone
 * and leaves UTC to be read on hover, and lets the time left count down.
 */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { utcWords } from '../../base/kernel/instant.ts';

/** A moment, exact and machine-readable. */
export function moment(at: Date): Html {
  const text = utcWords(at);
  return html`<time datetime="${at.toISOString()}" title="${text}" data-local>${text}</time>`;
}

/** The day and time until which something must be done elsewhere, with the time zone. */
export function deadline(at: Date): Html {
  const text = utcWords(at);
  return html`<time datetime="${at.toISOString()}" title="${text}" data-local="zone">${text}</time>`;
}

/** A moment to the second, in UTC whatever the reader's zone: for a log that is compared with other logs. */
export function secondsMoment(at: Date): Html {
  const text = at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 19)}</time>`;
}

/** A moment that may not be known. */
export function momentOr(at: Date | null | undefined, otherwise: string): Html {
  return at == null ? html`<span class="quiet">${otherwise}</span>` : moment(at);
}

/** Time left under which a deadline is soon, in milliseconds. */
const SOON_MS = 6 * 60 * 60_000;

/** The time left until a deadline, for example `3 h 12 min left`. */
export function timeLeft(deadlineAt: Date, now: Date): Html {
  const leftMs = deadlineAt.getTime() - now.getTime();
  const words = leftMs <= 0 ? `${duration(-leftMs)} past` : `${duration(leftMs)} left`;
  return html`<time class="left ${urgencyOf(leftMs)}" datetime="${deadlineAt.toISOString()}" title="until ${utcWords(deadlineAt)}" data-until>${words}</time>`;
}

function urgencyOf(leftMs: number): string {
  if (leftMs <= 0) return 'past';
  return leftMs <= SOON_MS ? 'soon' : '';
}

/** The same without words, for a column: `3 h 12 min`. */
export function shortTimeLeft(deadlineAt: Date, now: Date): Html {
  const leftMs = deadlineAt.getTime() - now.getTime();
  const words = leftMs <= 0 ? 'past' : duration(leftMs);
  return html`<time class="left ${urgencyOf(leftMs)}" datetime="${deadlineAt.toISOString()}" title="until ${utcWords(deadlineAt)}" data-until="short">${words}</time>`;
}

/** How long ago, for a column: its largest unit alone. */
export function shortAge(since: Date, now: Date): Html {
  const words = duration(Math.max(0, now.getTime() - since.getTime()));
  const largest = words.replace(/^(\d+ \S+) .*$/, '$1').replace('under 1 min', 'now');
  return html`<time datetime="${since.toISOString()}" title="since ${utcWords(since)}">${largest}</time>`;
}

/** A duration in its two largest units: `2 d 3 h`, `3 h 12 min`, `12 min`, `under 1 min`. */
export function duration(durationMs: number): string {
  const minutes = Math.floor(durationMs / 60_000);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours >= 1) return `${hours} h ${minutes % 60} min`;
  return minutes >= 1 ? `${minutes} min` : 'under 1 min';
}

/** How long ago a moment was, or that it never was. */
export function ago(at: Date | null, now: Date): string {
  return at === null ? 'never' : `${duration(Math.max(0, now.getTime() - at.getTime()))} ago`;
}
