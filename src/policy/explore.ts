/** `explore:`: a small share of what a policy would refund is accepted, to learn what accepting costs. */
import type { z } from 'zod';
import type { Explore } from '../alerts/decide/explore.ts';
import type { Parsed } from '../base/kernel/units.ts';
import { parseAmount } from '../base/kernel/units.ts';
import { NAME } from './head.ts';
import { FORMS, mapping, parsed, required } from './language.ts';

/** More is no trial. */
const SHARE_MAX_PERCENT = 10;

const PERCENT = /^(\d{1,3}(?:\.\d{1,2})?)\s*%$/;

function parseShare(written: string): Parsed<number> {
  const percent = Number(PERCENT.exec(written)?.[1] ?? Number.NaN);
  if (Number.isNaN(percent))
    return { ok: false, message: `"${written}" is no share. Write it like 5 %.` };
  if (percent > SHARE_MAX_PERCENT) {
    return {
      ok: false,
      message: `a share of ${percent} % is too much for a trial: at most ${SHARE_MAX_PERCENT} %.`,
    };
  }
  if (percent === 0)
    return { ok: false, message: 'a share of 0 % tries nothing. Leave "explore" out.' };
  return { ok: true, value: percent / 100 };
}

function parseCount(written: string): Parsed<number> {
  return /^\d{1,6}$/.test(written)
    ? { ok: true, value: Number(written) }
    : { ok: false, message: `"${written}" is no count. Write a whole number, like 20.` };
}

const COUNT = parsed(parseCount, { type: ['number', 'string'], pattern: '^\\d{1,6}$' });
const AMOUNT = parsed(parseAmount, { pattern: '^\\d+(\\.\\d+)?\\s+[A-Z]{3}$' });

const STOP_WHEN = mapping(
  {
    ratio_headroom: required(
      mapping(
        { below: required(COUNT, '"below" is missing: the room that must be left, like 50.') },
        {
          what: 'bound',
          where: ' of "stop_when"',
          error: '"ratio_headroom" takes below: a count.',
        },
      ),
      '"stop_when" takes ratio_headroom: {below: 50}.',
    ),
  },
  {
    what: 'condition',
    where: ' of "stop_when"',
    error: '"stop_when" takes ratio_headroom: {below: 50}.',
  },
);

export const EXPLORE: z.ZodType<Explore> = mapping(
  {
    name: NAME.optional(),
    share: required(
      parsed(parseShare, { pattern: '^\\d{1,2}(\\.\\d{1,2})?\\s*%$' }),
      '"share" is missing: at most 10 %.',
    ),
    largest: required(
      AMOUNT,
      '"largest" is missing: the largest amount that is tried, like 40.00 USD.',
    ),
    budget: required(
      AMOUNT,
      '"budget" is missing: what may be accepted in a month, like 500.00 USD.',
    ),
    disputes: required(
      COUNT,
      '"disputes" is missing: how many may come of it in a month, like 20.',
    ),
    stop_when: required(
      STOP_WHEN,
      '"stop_when" is missing: a trial ends before a ratio suffers. Write stop_when: {ratio_headroom: {below: 50}}.',
    ),
  },
  {
    where: ' of "explore"',
    error: '"explore" has share, largest, budget, disputes and stop_when.',
  },
)
  .register(FORMS, {
    id: 'explore',
    description: 'A small share of what rules refund is accepted, to learn what accepting costs.',
  })
  .transform(({ name = 'explore', share, largest, budget, disputes, stop_when: stop }, context) => {
    if (budget.currency !== largest.currency) {
      const message = `"budget" is in ${budget.currency} and "largest" in ${largest.currency}. Write both in one currency.`;
      context.addIssue({ code: 'custom', path: ['budget'], message });
    }
    if (disputes < 1) {
      context.addIssue({
        code: 'custom',
        path: ['disputes'],
        message: '"disputes" is at least 1.',
      });
    }
    return { name, share, largest, budget, disputes, headroomMin: stop.ratio_headroom.below };
  });
