/**
 * The policy language, described once: for the reader, and as the JSON Schema that editors use.
 *
 * What it cannot say (a list or a rule that is not named) `references.ts` says.
 */
import { z } from 'zod';
import type { EvidenceWords } from '../alerts/decide/evidence-words.ts';
import type { Explore } from '../alerts/decide/explore.ts';
import type { PolicyFallback, PolicyOutcome, SideAction } from '../alerts/decide/policy.ts';
import type { SamePartRule } from '../alerts/ledger/same-dispute.ts';
import type { RateTable } from '../base/kernel/rates.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import type { WrittenConditions } from './conditions.ts';
import { conditionsBy } from './conditions.ts';
import { EVIDENCE } from './evidence.ts';
import { EXPLORE } from './explore.ts';
import type { GivenValue } from './field-conditions.ts';
import { givenFor } from './field-conditions.ts';
import { POLICY_FIELDS } from './fields.ts';
import { AUTHOR, LISTS, NAME, POLICY_RATES, SAME_PART, TIME_ZONE } from './head.ts';
import { FORMS, mapping, required, text } from './language.ts';
import { ALSO, FALLBACK, OUTCOME } from './outcomes.ts';

/** Most rules of one policy: more than a person can hold in mind by far. */
const RULES_MAX = 500;

/** Most examples of one policy. */
const EXAMPLES_MAX = 1_000;

interface WrittenRule {
  readonly name: string;
  readonly when: WrittenConditions;
  readonly then: PolicyOutcome;
  readonly also?: SideAction[] | undefined;
}

interface WrittenExample {
  readonly name: string;
  readonly given: Record<string, GivenValue | undefined>;
  readonly expect: PolicyOutcome;
  readonly rule?: string | undefined;
  readonly also?: SideAction[] | undefined;
}

/** A policy as it was read, before its parts are brought together. */
export interface WrittenPolicy {
  readonly name?: string | undefined;
  readonly author?: string | undefined;
  readonly timezone?: string | undefined;
  readonly lists?: Record<string, string | string[]> | undefined;
  readonly rates?: string | RateTable | undefined;
  readonly rules: WrittenRule[];
  readonly otherwise: PolicyOutcome;
  readonly held?: PolicyFallback | undefined;
  readonly same_part?: SamePartRule | undefined;
  readonly explore?: Explore | undefined;
  readonly evidence?: EvidenceWords | undefined;
  readonly examples?: WrittenExample[] | undefined;
}

const LANGUAGES = new WeakMap<BrandTokenMap, z.ZodType<WrittenPolicy>>();

/** The language; real names of brands are accepted as well as the neutral tokens. */
export function languageBy(brands: BrandTokenMap): z.ZodType<WrittenPolicy> {
  const language = LANGUAGES.get(brands) ?? describe(brands);
  LANGUAGES.set(brands, language);
  return language;
}

/** The JSON Schema of the language. */
export function policySchema(brands: BrandTokenMap): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(languageBy(brands), { target: 'draft-7', io: 'input', metadata: FORMS });
}

function describe(brands: BrandTokenMap): z.ZodType<WrittenPolicy> {
  return mapping(
    {
      name: NAME.optional(),
      author: AUTHOR.optional(),
      timezone: TIME_ZONE.optional(),
      lists: LISTS.optional(),
      rates: POLICY_RATES.optional(),
      rules: listOf(ruleBy(brands), {
        max: RULES_MAX,
        what: 'rules',
        error: ({ input }) =>
          input === undefined
            ? '"rules" is missing. Without any rule, write "rules: []".'
            : '"rules" is a list: begin each rule with "- name:".',
      }),
      otherwise: required(
        OUTCOME,
        '"otherwise" is missing: say what happens when no rule applies.',
      ),
      held: HELD.optional(),
      same_part: SAME_PART.optional(),
      explore: EXPLORE.optional(),
      evidence: EVIDENCE.optional(),
      examples: listOf(exampleBy(brands), {
        max: EXAMPLES_MAX,
        what: 'examples',
        error: () => '"examples" is a list: begin each example with "- name:".',
      }).optional(),
    },
    { error: 'a policy begins with "rules:" and "otherwise:".' },
  ).register(FORMS, { title: 'Forestall refund policy' });
}

function listOf<Item>(
  item: z.ZodType<Item>,
  about: {
    readonly max: number;
    readonly what: string;
    readonly error: (issue: { readonly input?: unknown }) => string;
  },
): z.ZodArray<z.ZodType<Item>> {
  const { max, what, error } = about;
  return z.array(item, { error }).max(max, {
    error: ({ input }) =>
      `${Array.isArray(input) ? input.length : 0} ${what}; at most ${max} are allowed.`,
  });
}

const HELD: z.ZodType<PolicyFallback> = FALLBACK.transform((fallback, context) => {
  if (fallback.answer.action !== 'ACCEPT_DISPUTE') {
    context.addIssue('"held" may fall back to ACCEPT_DISPUTE only: a guard held the refund.');
  }
  return fallback;
});

function ruleBy(brands: BrandTokenMap): z.ZodType<WrittenRule> {
  return mapping(
    {
      name: required(NAME, 'this rule has no "name".'),
      when: required(
        conditionsBy(brands),
        'this rule has no "when". For all other alerts use "otherwise".',
      ),
      // biome-ignore lint/suspicious/noThenProperty: the word of the language; a description is never awaited
      then: required(OUTCOME, 'this rule has no "then".'),
      also: ALSO.optional(),
    },
    { error: 'a rule has "name:", "when:" and "then:".' },
  ).register(FORMS, { id: 'rule' });
}

function exampleBy(brands: BrandTokenMap): z.ZodType<WrittenExample> {
  return mapping(
    {
      name: required(NAME, 'this example has no "name".'),
      given: required(givenBy(brands), 'this example has no "given".'),
      expect: required(OUTCOME, 'this example has no "expect".'),
      rule: text('a rule is named by its text.')
        .register(FORMS, { description: 'The rule that should apply, or otherwise.' })
        .optional(),
      also: ALSO.optional(),
    },
    { error: 'an example has "name:", "given:" and "expect:".' },
  ).register(FORMS, { id: 'example' });
}

function givenBy(brands: BrandTokenMap): z.ZodType<Record<string, GivenValue | undefined>> {
  const values = [...POLICY_FIELDS].map(
    ([word, field]): [string, z.ZodOptional<z.ZodType<GivenValue>>] => [
      word,
      givenFor(field, brands).optional(),
    ],
  );
  return mapping(Object.fromEntries(values), {
    what: 'condition',
    error: 'what is given is written as "name: value", one per line.',
  }).register(FORMS, { id: 'given' });
}
