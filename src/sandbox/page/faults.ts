/** Faults as the pages show and plant them: for a while on the sandbox's clock. */
import { counted } from '../../base/kernel/counted.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { CallFault, WebhookFault } from '../fault-rule.ts';
import { WEBHOOK_TARGET } from '../fault-rule.ts';
import type { PlantedFault } from '../faults.ts';
import { isOver, isSpent } from '../faults.ts';
import type { Field } from './forms.ts';
import { form } from './forms.ts';
import type { Visit } from './layout.ts';
import type { Row } from './pieces.ts';
import { facts, moment, rows } from './pieces.ts';

const MINUTE_MS = 60_000;

/** What goes wrong with a delivery, in words. */
export const DELIVERY_WAYS = [
  ['drop_before', 'nothing arrives'],
  ['drop_after', 'it arrives, the answer is lost'],
  ['lose', 'it is lost, and the service believes it arrived'],
  ['duplicate', 'it arrives twice'],
  ['reorder', 'it arrives after the next one'],
  ['wrong_secret', 'it is signed with another secret'],
  ['stale_timestamp', 'its signature is an hour old'],
  ['tampered', 'it is changed after signing'],
  ['malformed', 'it is no JSON'],
  ['truncated', 'half of it arrives'],
] as const satisfies readonly (readonly [WebhookFault, string])[];

/** What goes wrong with a call, in words. */
export const CALL_WAYS = [
  ['status', 'it answers a status, and nothing happens'],
  ['status_after', 'it answers a status after everything happened'],
  ['drop_before', 'the connection is cut, nothing happened'],
  ['drop_after', 'the connection is cut after everything happened'],
  ['hang', 'it never answers'],
  ['delay', 'it answers late'],
  ['malformed', 'it answers HTML'],
  ['truncated', 'it answers half the JSON'],
  ['duplicate', 'it is executed twice'],
] as const satisfies readonly (readonly [CallFault, string])[];

/** Which the forms do not plant: they want to know how late. */
const BY_CALL_ALONE: Readonly<Record<string, string>> = {
  delay: 'it arrives late',
  late: 'the connection is cut, and it happens later',
};

const DELIVERY_WORDS: Readonly<Record<string, string>> = {
  ...BY_CALL_ALONE,
  ...Object.fromEntries(DELIVERY_WAYS),
};
const CALL_WORDS: Readonly<Record<string, string>> = {
  ...BY_CALL_ALONE,
  ...Object.fromEntries(CALL_WAYS),
};

/** What a fault did to a delivery; null where none did. */
export function deliveryWay(kind: string | null): string | null {
  return kind === null ? null : (DELIVERY_WORDS[kind] ?? kind);
}

/** What a fault did to a call; null where none did. */
export function callWay(kind: string | null): string | null {
  return kind === null ? null : (CALL_WORDS[kind] ?? kind);
}

/** For how long, and how often. */
export function breakFields(): readonly Field[] {
  return [
    {
      name: 'for_ms:number',
      label: 'For',
      value: String(5 * MINUTE_MS),
      options: [
        [String(MINUTE_MS), '1 minute'],
        [String(5 * MINUTE_MS), '5 minutes'],
        [String(60 * MINUTE_MS), '1 hour'],
        [String(24 * 60 * MINUTE_MS), '1 day'],
        ['', 'until it is repaired'],
      ],
    },
    {
      name: 'rate:number',
      label: 'How often',
      value: '1',
      options: [
        ['1', 'each time'],
        ['0.5', 'every second time, by chance'],
        ['0.1', 'every tenth time, by chance'],
      ],
    },
  ];
}

/** Everything that is planted, with the way to mend it. */
export function faultRows({ here, context }: Visit): Html {
  const nowMs = context.clock.nowMs();
  const list = context.faults.list().map(
    (fault): Row => ({
      id: fault.id,
      title: html`${wayOf(fault)} <span class="quiet">${targetOf(fault)}</span>`,
      aside: html`struck ${counted(fault.fired, 'time')}${untilText(fault, nowMs)}`,
      body: html`${facts(
        // The words of the control surface: a scenario or a test plants the same by them.
        Object.entries(fault)
          .filter(([name, value]) => value !== undefined && name !== 'plantedAtMs')
          .map(([name, value]) => [name, html`<code>${value}</code>`] as const),
      )}${form(here, {
        call: `DELETE /sandbox/faults/${fault.id}`,
        button: 'Repair it',
        done: 'Repaired.',
      })}`,
    }),
  );
  return rows(list, 'Nothing.');
}

function wayOf({ on, kind }: PlantedFault): string | null {
  return on === WEBHOOK_TARGET ? deliveryWay(kind) : callWay(kind);
}

function targetOf({ on, event_type: type }: PlantedFault): string {
  if (on === '*') return 'every operation';
  return on === WEBHOOK_TARGET ? `webhooks${type === undefined ? '' : ` of ${type}`}` : on;
}

function untilText(fault: PlantedFault, nowMs: number): Html | string {
  if (isSpent(fault) || isOver(fault, nowMs)) return ', over';
  const { for_ms: forMs, plantedAtMs } = fault;
  return forMs === undefined ? '' : html`, until ${moment(plantedAtMs + forMs)}`;
}
