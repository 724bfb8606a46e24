/** What a rule can decide: the `then:` of a rule, `otherwise:`, `held:`, and `also:` besides. */
import { z } from 'zod';
import type {
  PolicyAnswer,
  PolicyFallback,
  PolicyOutcome,
  SideAction,
} from '../alerts/decide/policy.ts';
import { REFUND_AMOUNTS } from '../alerts/decide/policy.ts';
import { GUARD_MS } from '../alerts/guard/refund-settings.ts';
import type { Parsed } from '../base/kernel/units.ts';
import { formatDuration, parseDuration } from '../base/kernel/units.ts';
import { FORMS, mapping, named, oneOrMore, parsed, required, text } from './language.ts';
import { suggestion } from './suggestion.ts';

/** Actions of the interface that a `CUSTOM_ORDERS` integration may not use (specification, Alerts). */
const PROCESSOR_ACTIONS = new Map(
  ['CANCEL', 'REFUND_AND_CANCEL'].map((word) => [
    word,
    `${word} is not for CUSTOM_ORDERS integrations. Use REFUND, and cancel with your own system.`,
  ]),
);

/** An `ACCEPT_DISPUTE` moves no money; it needs time for its declaration only. */
const ACCEPT_GUARD_MS = 5 * 60_000;

/** Longest text of a `notify`. */
export const NOTIFY_LENGTH_MAX = 300;
const NOTIFY_ERROR = `notify takes a text of 1 to ${NOTIFY_LENGTH_MAX} characters.`;

const amountError = ({ input }: { readonly input?: unknown }): string => {
  const written = typeof input === 'string' ? input : '';
  return `"${written}" is no refund amount. ${suggestion(written, REFUND_AMOUNTS)}`;
};

const refundAmount = z.enum(REFUND_AMOUNTS, { error: amountError });

/** What comes after `REFUND:`, an amount or `{amount: …, when_refused: accept}`. */
const refund: z.ZodType<PolicyAnswer> = z.union(
  [
    refundAmount.transform((amount) => ({ action: 'REFUND', amount }) as const),
    mapping(
      {
        amount: refundAmount.optional(),
        when_refused: z
          .literal('accept', {
            error:
              '"when_refused" takes accept. Without it the alert waits for "held" or a person.',
          })
          .transform(() => 'ACCEPT_DISPUTE' as const)
          .optional(),
      },
      { error: '' },
    ).transform(
      ({ amount = 'full', when_refused: whenRefused }): PolicyAnswer => ({
        action: 'REFUND',
        amount,
        ...(whenRefused && { whenRefused }),
      }),
    ),
  ],
  { error: amountError },
);

const ANSWERS = {
  what: 'outcome',
  several: 'one outcome only. Remove the others.',
  refused: PROCESSOR_ACTIONS,
  bare: {
    REFUND: { action: 'REFUND', amount: 'full' },
    ACCEPT_DISPUTE: { action: 'ACCEPT_DISPUTE' },
  },
  detailed: { REFUND: z.strictObject({ REFUND: refund }).transform((read) => read.REFUND) },
} as const;

const answer: z.ZodType<PolicyAnswer> = named<PolicyAnswer>(ANSWERS).register(FORMS, {
  id: 'answer',
});

const MOMENT = /^(.+?) before deadline$/;

function parseMoment(written: string): Parsed<number> {
  const [, span] = MOMENT.exec(written) ?? [];
  const message = `"${written}" is no moment. Write it like 6h before deadline.`;
  return span === undefined ? { ok: false, message } : parseDuration(span);
}

const atMissing = '"at" is missing, for example at: 6h before deadline.';

/** `{fallback: …, at: 6h before deadline}`. */
export const FALLBACK: z.ZodType<PolicyFallback> = mapping(
  {
    fallback: required(answer, '"fallback" is missing.'),
    at: required(
      parsed(parseMoment, { pattern: '^\\d{1,5}\\s*[mhd] before deadline$' }),
      atMissing,
    ),
  },
  { error: 'write "fallback:" and "at:" here, for example at: 6h before deadline.' },
)
  .register(FORMS, { id: 'fallback' })
  .transform(({ fallback, at: beforeDeadlineMs }, context) => {
    const leastMs = leastBeforeDeadlineMs(fallback);
    if (beforeDeadlineMs < leastMs) {
      const minutes = leastMs / 60_000;
      const message = `${fallback.action} needs ${minutes} minutes before the deadline. Give it more time.`;
      context.addIssue({ code: 'custom', path: ['at'], message });
    }
    return { answer: fallback, beforeDeadlineMs };
  });

/** `REFUND`, `{REFUND: remainder}`, `{REFUND: {…}}`, `ACCEPT_DISPUTE`, `REVIEW`, `{REVIEW: {…}}`. */
export const OUTCOME: z.ZodType<PolicyOutcome> = named<PolicyOutcome>({
  ...ANSWERS,
  bare: { ...ANSWERS.bare, REVIEW: { action: 'REVIEW', fallback: null } },
  detailed: {
    ...ANSWERS.detailed,
    REVIEW: z
      .strictObject({ REVIEW: FALLBACK })
      .transform(({ REVIEW: fallback }) => ({ action: 'REVIEW', fallback })),
  },
}).register(FORMS, { id: 'outcome' });

/** `cancel_subscription`, or a list like `[stop_fulfilment, {notify: "look at this"}]`. */
export const ALSO: z.ZodType<SideAction[]> = oneOrMore(
  named<SideAction>({
    what: 'action',
    several: 'one per line: put a "-" before it.',
    bare: {
      cancel_subscription: { kind: 'cancel_subscription' },
      stop_fulfilment: { kind: 'stop_fulfilment' },
      block_customer: { kind: 'block_customer' },
      notify: { kind: 'notify', text: null },
    } satisfies Record<SideAction['kind'], SideAction>,
    detailed: {
      notify: z
        .strictObject({ notify: text(NOTIFY_ERROR, NOTIFY_LENGTH_MAX) })
        .transform(({ notify }) => ({ kind: 'notify', text: notify })),
    },
  }),
  { empty: 'the list of "also" is empty.', error: '' },
)
  .register(FORMS, { id: 'also' })
  .transform((actions, context) => {
    for (const [index, { kind }] of actions.entries()) {
      if (actions.findIndex((each) => each.kind === kind) === index) continue;
      const message = `${kind} is named twice. Keep one of them.`;
      context.addIssue({ code: 'custom', path: [index], message });
    }
    return actions;
  });

/** How long before the deadline a fallback must begin, in milliseconds. */
export function leastBeforeDeadlineMs({ action }: PolicyAnswer): number {
  return action === 'REFUND' ? GUARD_MS : ACCEPT_GUARD_MS;
}

/** An outcome in a few words: `REFUND`, `REFUND the remainder`, `REVIEW, then ACCEPT_DISPUTE 6h before the deadline`. */
export function outcomeText(outcome: PolicyOutcome): string {
  if (outcome.action !== 'REVIEW') return answerText(outcome);
  const { fallback } = outcome;
  if (fallback === null) return 'REVIEW without a fallback';
  const before = formatDuration(fallback.beforeDeadlineMs);
  return `REVIEW, then ${answerText(fallback.answer)} ${before} before the deadline`;
}

const AMOUNT_TEXT = {
  full: '',
  remainder: ' the remainder',
  alert_amount: ' the alert’s amount',
  whole_charge: ' the whole charge',
};

function answerText(answer: PolicyAnswer): string {
  if (answer.action !== 'REFUND') return answer.action;
  const refused = answer.whenRefused === undefined ? '' : ', accepted when refused for good';
  return `REFUND${AMOUNT_TEXT[answer.amount]}${refused}`;
}
