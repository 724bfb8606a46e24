/** The events of ratios: the database writes one as an alarm is raised. */
import { z } from 'zod';
import type { DataByType } from '../../surface/event-kind.ts';
import { describeEventKind } from '../../surface/event-kind.ts';

export const ratioCrossed = describeEventKind({
  type: 'ratio.crossed',
  says: 'A count or ratio reached 50, 75, 90 or 100 per cent of a line of a monitoring programme.',
  data: z.looseObject({
    month: z.string(),
    programme: z.string(),
    line: z.string(),
    scope: z.string(),
    scope_id: z.string(),
    basis: z.string(),
    level_percent: z.int(),
  }),
  sentence: (data) =>
    `${data.programme} ${data.line}: ${data.level_percent} % of the line in ${data.month} (${data.scope}${data.scope_id === '' ? '' : ` ${data.scope_id}`}, ${data.basis}).`,
});

export type RatioEvents = DataByType<typeof ratioCrossed>;
