/** The `when:` of a rule: questions about facts, and how they are combined. */
import { z } from 'zod';
import type { ClaimSource } from '../alerts/cases/claim.ts';
import { CLAIM_SOURCES } from '../alerts/cases/claim.ts';
import { isRecord } from '../base/kernel/is-record.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import type { CompileContext, FieldCondition, Question } from './field-conditions.ts';
import { questionAbout } from './field-conditions.ts';
import { POLICY_FIELDS } from './fields.ts';
import { FORMS, mapping } from './language.ts';

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly inner: readonly Condition[] }
  | { readonly kind: 'not'; readonly inner: Condition }
  | FieldCondition;

/** A map of conditions as it was read. */
export type WrittenConditions = {
  readonly [word: string]: Question | WrittenConditions | WrittenConditions[] | undefined;
};

/** A map of conditions, all of which must hold. */
export function conditionsBy(brands: BrandTokenMap): z.ZodType<WrittenConditions> {
  const questions = [...POLICY_FIELDS].map(
    ([word, field]): [string, z.ZodOptional<z.ZodType<Question>>] => [
      word,
      questionAbout(field, brands).register(FORMS, { description: field.about }).optional(),
    ],
  );
  const several = (word: string): z.ZodType<WrittenConditions[] | undefined> => {
    const error = `"${word}" takes a list of conditions, each after a "-".`;
    return z.array(conditions, { error }).min(1, { error }).optional();
  };
  const conditions: z.ZodType<WrittenConditions> = mapping(
    {
      ...Object.fromEntries(questions),
      get all() {
        return several('all');
      },
      get any() {
        return several('any');
      },
      get not() {
        return conditions.optional();
      },
    },
    { what: 'condition', error: 'conditions are written as "name: value", one per line.' },
  )
    .refine((read) => Object.keys(read).length > 0, { error: 'a condition is missing here.' })
    .register(FORMS, { id: 'conditions', minProperties: 1 });
  return conditions;
}

/** Gives the conditions the lists and rates of their policy. */
export function compileConditions(read: WrittenConditions, context: CompileContext): Condition {
  const conditions = Object.entries(read).flatMap(([word, value]): Condition[] => {
    if (value === undefined) return [];
    if (Array.isArray(value)) {
      const inner = value.map((each) => compileConditions(each, context));
      return [{ kind: word === 'any' ? 'any' : 'all', inner }];
    }
    if (typeof value !== 'function')
      return [{ kind: 'not', inner: compileConditions(value, context) }];
    context.asked.add(word);
    return [value(context)];
  });
  const [only] = conditions;
  return conditions.length === 1 && only !== undefined ? only : { kind: 'all', inner: conditions };
}

/**
 * Puts what was read in the order of the text: zod gives keys in the order of its description, and a
 * sentence names conditions as the policy does.
 */
export function keepWrittenOrder(read: unknown, written: unknown): void {
  if (Array.isArray(read) && Array.isArray(written)) {
    for (const [index, each] of read.entries()) keepWrittenOrder(each, written[index]);
  }
  if (!isRecord(read) || !isRecord(written)) return;
  for (const [word, value] of Object.entries(written)) {
    const kept = read[word];
    delete read[word];
    read[word] = kept;
    keepWrittenOrder(kept, value);
  }
}

/** The claims that a condition asks for by name: only rules that do are ever about them. */
export function sourcesOf(condition: Condition): readonly ClaimSource[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return CLAIM_SOURCES.filter((source) =>
        condition.inner.some((each) => sourcesOf(each).includes(source)),
      );
    case 'word': {
      if (condition.field.name !== 'source') return [];
      const { words } = condition;
      return CLAIM_SOURCES.filter((source) => words.includes(source.toLowerCase()));
    }
    default:
      // What is not an alert may be anything: to be meant, a claim is named.
      return [];
  }
}
