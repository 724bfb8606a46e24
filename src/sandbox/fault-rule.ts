/** What a fault is: its kinds, its target, and what it can say about when it strikes. */
import type { FailureClass } from '../service/wire/processor.ts';

/**
 * What goes wrong with a call to the service or the processor:
 * `status` answers `status` without any effect · `status_after` the same, after the effect · `delay` waits `delay_ms` · `hang` never answers ·
 * `drop_before` cuts the connection, nothing happened · `drop_after` cuts it, everything happened ·
 * `late` cuts it, and it happens `late_ms` later on the sandbox's clock · `malformed` answers HTML
 * instead of JSON, after the effect · `truncated` answers half the JSON, after the effect ·
 * `duplicate` executes the call twice and answers the second time.
 */
export const CALL_FAULTS = [
  'status',
  'status_after',
  'delay',
  'hang',
  'drop_before',
  'drop_after',
  'late',
  'malformed',
  'truncated',
  'duplicate',
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

/**
 * What goes wrong with a webhook:
 * `lose` never sends it and believes it was delivered · `duplicate` sends it twice · `reorder` holds
 * it until the next one to the same subscription has gone · `delay` waits `late_ms` on the sandbox's
 * clock · `drop_before` fails without sending · `drop_after` sends, and ignores the answer ·
 * `wrong_secret` · `stale_timestamp` signs with a `t` that is `age_seconds` old (negative: in the
 * future) · `tampered` changes the body after signing · `malformed` sends signed bytes that are no
 * JSON · `truncated` sends half the body, signed.
 */
export const WEBHOOK_FAULTS = [
  'lose',
  'duplicate',
  'reorder',
  'delay',
  'drop_before',
  'drop_after',
  'wrong_secret',
  'stale_timestamp',
  'tampered',
  'malformed',
  'truncated',
] as const;
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

/** What `on` says for webhooks. */
export const WEBHOOK_TARGET = 'webhook';

/** A fault to plant. */
export interface FaultRule {
  /** `webhook`, or a method and path such as `PATCH /v1/alerts/{alert_id}`. `*` means anything. */
  readonly on: string;
  readonly kind: CallFault | WebhookFault;
  /** How often it fires. @default 1; without limit when `rate` or `for_ms` is given */
  readonly times?: number | undefined;
  /** Matching calls to let through first. @default 0 */
  readonly skip?: number | undefined;
  /** Share of matching calls that fail, from 0 to 1. @default 1 */
  readonly rate?: number | undefined;
  /** Strikes for so long from its planting, in milliseconds on the sandbox's clock. @default for ever */
  readonly for_ms?: number | undefined;
  /** Only calls whose path or body, or events whose body, contain this text. */
  readonly contains?: string | undefined;
  /** Only this event type (webhooks). */
  readonly event_type?: string | undefined;
  /** Only this attempt of a delivery, from 1 (webhooks). */
  readonly attempt?: number | undefined;
  /** The answer of `status` and `status_after`. @default 500 */
  readonly status?: number | undefined;
  /** The error code in that answer. @default 'SERVER_ERROR' */
  readonly code?: string | undefined;
  /** For the processor: that answer is a refusal of this class, in a 4xx. @default none is stated */
  readonly failure_class?: FailureClass | undefined;
  /** Real milliseconds to wait before anything else, with any kind. @default 0 */
  readonly delay_ms?: number | undefined;
  /** For `late` and a webhook's `delay`, on the sandbox's clock. @default 60 000 */
  readonly late_ms?: number | undefined;
  /** For `stale_timestamp`. @default 3600 */
  readonly age_seconds?: number | undefined;
}

/** Few texts, asked for at every call. */
const patterns = new Map<string, RegExp>();

/** Trailing slashes do not tell endpoints apart, and `*` means anything. */
export function targetPattern(on: string): RegExp {
  const known = patterns.get(on) ?? patternOf(on);
  patterns.set(on, known);
  return known;
}

function patternOf(on: string): RegExp {
  const text = on.endsWith('/') ? on.slice(0, -1) : on;
  const escaped = text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${escaped}$`);
}
