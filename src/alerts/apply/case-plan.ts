/**
 * The first plan of a case, from the alert that opens it: until when, and when to speak up.
 *
 * An alert without a believable deadline is treated as one with little time: the alarm comes at once
 * instead of never.
 */

import { epochMsOf } from '../../base/kernel/instant.ts';
import type { ServiceObject } from './fields.ts';
import { instant } from './fields.ts';

const HOUR_MS = 3_600_000;

/** What is assumed where the service gives no deadline, in milliseconds from the alert's creation. */
const ASSUMED_WINDOW_MS = 24 * HOUR_MS;

/** A deadline further away than this from its alert is a mistake: they are 24 to 72 h, in milliseconds. */
const WINDOW_MS_MAX = 30 * 24 * HOUR_MS;

/** With less time than this left, the alarm comes at once, in milliseconds. */
const SHORT_MS = HOUR_MS;

/** The alarm of an alert that needs no action, in case its case is not closed, in milliseconds. */
const SETTLED_ALARM_MS = HOUR_MS;

/** Part of the remaining time that passes before the first alarm. */
const FIRST_ALARM_SHARE = 0.5;

/** Until when, and when to speak up. */
export interface CasePlan {
  readonly deadlineAt: Date;
  readonly nextAlarmAt: Date;
}

/** What the plan depends on. */
export interface CasePlanInput {
  readonly alert: ServiceObject;
  /** Whether the alert still asks for an action. */
  readonly isOpen: boolean;
  /** When we first heard of it: used where `created_at` is missing. */
  readonly firstSeenAt: Date;
  readonly now: Date;
}

/** Creates the plan. */
export function planCase(input: CasePlanInput): CasePlan {
  const { alert, isOpen, firstSeenAt, now } = input;
  const createdAt = instant(alert, 'created_at');
  const createdMs = createdAt === null ? firstSeenAt.getTime() : epochMsOf(createdAt);
  const given = instant(alert, 'action_required_deadline');
  const givenMs = given === null ? undefined : epochMsOf(given);
  const isBelievable = givenMs !== undefined && givenMs - createdMs <= WINDOW_MS_MAX;
  const deadlineMs = isBelievable ? givenMs : createdMs + ASSUMED_WINDOW_MS;
  const leftMs = deadlineMs - now.getTime();
  const deadlineAt = new Date(deadlineMs);
  if (!isOpen) return { deadlineAt, nextAlarmAt: new Date(now.getTime() + SETTLED_ALARM_MS) };
  const isShort = !isBelievable || leftMs < SHORT_MS;
  const waitMs = isShort ? 0 : Math.floor(leftMs * FIRST_ALARM_SHARE);
  return { deadlineAt, nextAlarmAt: new Date(now.getTime() + waitMs) };
}
