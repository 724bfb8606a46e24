/** Faults as the pages show and plant them: for a while on the sandbox's clock. */
import { counted } from '../../base/kernel/counted.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { PlantedFault } from '../faults.ts';
import { isOver, isSpent } from '../faults.ts';
import type { Field } from './forms.ts';
import { form } from './forms.ts';
import type { Visit } from './layout.ts';
import type { Row } from './pieces.ts';
import { facts, moment, rows } from './pieces.ts';

const MINUTE_MS = 60_000;

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
      title: html`${fault.kind} <span class="quiet">on ${fault.on}</span>`,
      aside: html`struck ${counted(fault.fired, 'time')}${untilText(fault, nowMs)}`,
      body: html`${facts(
        Object.entries(fault).filter(
          ([name, value]) => value !== undefined && name !== 'plantedAtMs',
        ),
      )}${form(here, {
        call: `DELETE /sandbox/faults/${fault.id}`,
        button: 'Repair it',
        done: 'Repaired.',
      })}`,
    }),
  );
  return rows(list, 'Nothing.');
}

function untilText(fault: PlantedFault, nowMs: number): Html | string {
  if (isSpent(fault) || isOver(fault, nowMs)) return ', over';
  const { for_ms: forMs, plantedAtMs } = fault;
  return forMs === undefined ? '' : html`, until ${moment(plantedAtMs + forMs)}`;
}
