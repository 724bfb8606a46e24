/**
 * A policy in TypeScript, for programs that embed Forestall.
 *
 * The function is the merchant's own code and is called as it is, in the same process. What holds:
 *
 * - it gets a copy of the facts as they are stored, so it changes nothing by writing to them;
 * - its answer is checked: one that cannot be used, a promise, or an error decides nothing, and a
 *   person is called;
 * - its text, its `data` and its fallback are its version.
 *
 * What does not hold, and is up to the function: it should give the same answer for the same facts
 * (no clock, no chance, no memory), or an explanation and a backtest will say something else than
 * was decided; what it uses from around it is not part of the version; and nothing ends a call that
 * does not return: the process hangs until it is restarted. A policy in YAML has none of these
 * gaps.
 *
 * @example
 * const policy = definePolicy({
 *   name: 'Shop',
 *   data: { limitMinor: 5000 },
 *   decide: (facts, { limitMinor }) =>
 *     facts.alert.currency === 'USD' && (facts.alert.amountMinor ?? 0) <= limitMinor
 *       ? { outcome: { action: 'REFUND', amount: 'full' }, because: 'the amount is small' }
 *       : { outcome: { action: 'REVIEW', fallback: null }, because: 'it is not' },
 * });
 */
import { createHash } from 'node:crypto';
import { isPromise } from 'node:util/types';
import { z } from 'zod';
import type { ClaimSource } from '../alerts/cases/claim.ts';
import type { DecisionFacts } from '../alerts/decide/facts.ts';
import type {
  Policy,
  PolicyFallback,
  PolicyOutcome,
  PolicyProposal,
  SideAction,
} from '../alerts/decide/policy.ts';
import { REFUND_AMOUNTS, SIDE_ACTIONS } from '../alerts/decide/policy.ts';
import type { SamePartRule } from '../alerts/ledger/same-dispute.ts';
import { ConfigError } from '../base/kernel/errors.ts';
import { leastBeforeDeadlineMs, NOTIFY_LENGTH_MAX } from './outcomes.ts';

/** What the function gives back. */
export interface DefinedAnswer {
  readonly outcome: PolicyOutcome;
  /** Why, as the end of a sentence: "the amount is small". At most 300 characters. */
  readonly because: string;
  /** Which of the function's rules spoke, if it has any by name. */
  readonly rule?: string;
  readonly sideActions?: readonly SideAction[];
}

/** A policy as a program writes it. */
export interface PolicyDefinition<Data> {
  readonly name: string;
  readonly author?: string;
  /** Gives the same answer for the same arguments: `facts.now` is the moment. */
  readonly decide: (facts: DecisionFacts, data: Data) => DefinedAnswer;
  /** What the function needs besides, as JSON; part of the version, which other constants are not. */
  readonly data?: Data;
  /** What an alert falls back to that a guard holds. @default nothing: a person must decide */
  readonly held?: PolicyFallback | null;
  /** What the same part of a charge means that one network reports twice. @default 'REVIEW' */
  readonly samePart?: SamePartRule;
  /**
   * Claims that it decides about besides alerts, known by `facts.alert.enrolmentType`. An answer about one
   * counts only with a `rule`. @default none
   */
  readonly sources?: readonly ClaimSource[];
}

/**
 * Turns the function into a policy.
 *
 * @throws {ConfigError} when `decide` is no function with a text, or `data` is no JSON
 */
export function definePolicy<Data>(definition: PolicyDefinition<Data>): Policy {
  const { name, author, decide, held = null, samePart = 'REVIEW', sources = [] } = definition;
  const code = textOf(decide);
  const data = JSON.stringify(definition.data ?? null);
  if (data === undefined) throw new ConfigError(`Policy "${name}": "data" must be JSON.`);
  // Not named where it is the usual one, so that versions stay what they were.
  const part = samePart === 'REVIEW' ? '' : `// same part: ${samePart}\n`;
  const beside = sources.length === 0 ? '' : `// sources: ${sources.join(' ')}\n`;
  const source = `(${code})\n// data: ${data}\n// held: ${JSON.stringify(held)}\n${part}${beside}`;
  return {
    name,
    version: createHash('sha256').update(`${name}\n${source}`).digest('hex').slice(0, 16),
    source,
    kind: 'module',
    author: author ?? null,
    held,
    samePart,
    sources,
    propose(facts): PolicyProposal {
      // Copies, as they are stored: what the function writes to them stays nowhere.
      return proposalOf(decide(JSON.parse(JSON.stringify(facts)), JSON.parse(data)));
    },
  };
}

/** The text of the function, from which its version is made. */
function textOf(decide: unknown): string {
  const text = typeof decide === 'function' ? String(decide) : '';
  if (text !== '' && !text.includes('[native code]')) return text;
  throw new ConfigError(
    '"decide" must be a function that is written out, neither bound nor built in: its text is the version.',
  );
}

const answerSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('REFUND'),
    amount: z.enum(REFUND_AMOUNTS),
    whenRefused: z.literal('ACCEPT_DISPUTE').exactOptional(),
  }),
  z.strictObject({ action: z.literal('ACCEPT_DISPUTE') }),
]);

const fallbackSchema = z
  .strictObject({ answer: answerSchema, beforeDeadlineMs: z.int().positive() })
  .refine(({ answer, beforeDeadlineMs }) => beforeDeadlineMs >= leastBeforeDeadlineMs(answer), {
    error: 'the fallback leaves too little time before the deadline',
  });

const definedSchema = z.strictObject({
  outcome: z.union([
    answerSchema,
    z.strictObject({ action: z.literal('REVIEW'), fallback: fallbackSchema.nullable() }),
  ]),
  because: z.string().min(1).max(300),
  rule: z.string().min(1).max(80).optional(),
  sideActions: z
    .array(
      z.union([
        z.strictObject({ kind: z.enum(SIDE_ACTIONS).exclude(['notify']) }),
        z.strictObject({
          kind: z.literal('notify'),
          text: z.string().min(1).max(NOTIFY_LENGTH_MAX).nullable(),
        }),
      ]),
    )
    .optional(),
});

function proposalOf(answer: unknown): PolicyProposal {
  if (isPromise(answer)) {
    // It is not awaited: its failure would end the process.
    answer.catch(() => undefined);
    throw new ConfigError('decide gave a promise: it must not wait. Give what it needs as data.');
  }
  const parsed = definedSchema.safeParse(answer);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    throw new ConfigError(
      `decide gave no answer that can be used: ${where} ${issue?.message ?? ''}`,
    );
  }
  const { outcome, because, rule, sideActions = [] } = parsed.data;
  return {
    outcome,
    rule: rule ?? null,
    because,
    trace: rule === undefined ? [] : [{ rule, line: 1, result: 'yes', why: because }],
    sideActions,
  };
}
