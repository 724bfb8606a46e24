/**
 * A policy in TypeScript, for programs that embed Forestall.
 *
 * The function is not called where it was written: its text is evaluated in a context of its own that
 * has the language and nothing else. What that guarantees:
 *
 * - no I/O: there is no `process`, `require`, `fetch`, timer or module there;
 * - the same answer for the same facts: no clock, no chance, and nothing that could remember;
 * - bounded time: V8 ends it after {@link POLICY_BUDGET_MS}, also within an endless loop.
 *
 * What it does not: memory is not bounded, and it is no shelter from code that means harm. A policy
 * that breaks a promise fails, and a policy that fails decides nothing: a person is called.
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
import type { Context } from 'node:vm';
import { constants, createContext, runInContext, Script } from 'node:vm';
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
import { ConfigError, messageOf } from '../base/kernel/errors.ts';
import { SEALED_CONTEXT } from './define-context.ts';
import { leastBeforeDeadlineMs, NOTIFY_LENGTH_MAX } from './outcomes.ts';

/**
 * Longest time one decision may take, in milliseconds of the wall clock. A usual one takes far less
 * than one; the rest is for a machine that is busy with other things.
 */
export const POLICY_BUDGET_MS = 500;

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
  /**
   * Self-contained: it may use its arguments, the language, and nothing from around it. Dates are
   * parsed and compared as usual; `Date.now()` and `new Date()` throw, `facts.now` is the moment.
   */
  readonly decide: (facts: DecisionFacts, data: Data) => DefinedAnswer;
  /** What the function needs besides, as JSON; part of the version. */
  readonly data?: Data;
  /** What an alert falls back to that a guard holds. @default nothing: a person must decide */
  readonly held?: PolicyFallback | null;
  /** What the same part of a charge means that one network reports twice. @default 'REVIEW' */
  readonly samePart?: SamePartRule;
  /**
   * Claims beside alerts that it decides about, told by `facts.alert.enrolmentType`. An answer about one
   * counts only with a `rule`. @default none
   */
  readonly sources?: readonly ClaimSource[];
}

/**
 * Makes the policy.
 *
 * @throws {ConfigError} when `decide` is no plain function, or `data` is no JSON
 */
export function definePolicy<Data>(definition: PolicyDefinition<Data>): Policy {
  const { name, author, decide, held = null, samePart = 'REVIEW', sources = [] } = definition;
  const code = sourceOf(decide);
  const data = JSON.stringify(definition.data ?? null);
  if (data === undefined) throw new ConfigError(`Policy "${name}": "data" must be JSON.`);
  // Not named where it is the usual one, so that versions stay what they were.
  const part = samePart === 'REVIEW' ? '' : `// same part: ${samePart}\n`;
  const beside = sources.length === 0 ? '' : `// sources: ${sources.join(' ')}\n`;
  const source = `${code}\n// data: ${data}\n// held: ${JSON.stringify(held)}\n${part}${beside}`;
  let context: Context | undefined;
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
      context ??= seal(code, data);
      return proposalOf(call(context, facts));
    },
  };
}

/**
 * Words of which nothing good can come: what is loaded or started would outlive the call, and its
 * failure would reach the whole process.
 */
const WAITING = /\b(?:import|async|await)\b/;

/** The function as an expression. Methods are written as `decide(facts) {…}`, which is none by itself. */
function sourceOf(decide: unknown): string {
  const text = typeof decide === 'function' ? String(decide) : '';
  if (WAITING.test(text)) {
    throw new ConfigError(
      '"decide" must not import or wait; the words import, async and await are refused anywhere in it.',
    );
  }
  for (const code of [text, `({ ${text} }).decide`]) {
    try {
      // Compiled only, to see whether it can be.
      new Script(`(${code})`);
      if (/^(function\s*\*|class\b)/.test(text) || text === '') break;
      return `(${code})`;
    } catch {
      // Not this form.
    }
  }
  throw new ConfigError(
    '"decide" must be a plain function, neither a generator, a class nor bound. Write it out.',
  );
}

function seal(code: string, data: string): Context {
  const context = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: 'afterEvaluate',
  });
  runInContext(`${SEALED_CONTEXT}(${code}, ${JSON.stringify(data)})`, context);
  return context;
}

/** Calls the function with a copy of the facts; its answer comes back as text. */
function call(context: Context, facts: DecisionFacts): unknown {
  const argument = JSON.stringify(JSON.stringify(facts));
  try {
    const answer: unknown = runInContext(`decideSealed(${argument})`, context, {
      timeout: POLICY_BUDGET_MS,
    });
    return typeof answer === 'string' ? JSON.parse(answer) : undefined;
  } catch (error) {
    throw new ConfigError(failureText(error), { cause: error });
  }
}

function failureText(error: unknown): string {
  // What is thrown in the context is no Error of ours.
  const told = z.looseObject({ name: z.string(), message: z.string() }).safeParse(error);
  const message = told.success ? told.data.message : messageOf(error);
  if (message.includes('timed out')) {
    return `decide took longer than ${POLICY_BUDGET_MS} ms and was ended`;
  }
  return told.data?.name === 'ReferenceError'
    ? `${message}: decide may use its arguments only; give what it needs as data`
    : message;
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
