/**
 * Compiles the `when:` of a rule into conditions, and says precisely what is wrong with it.
 */
import type { ClaimSource } from '../alerts/cases/claim.ts';
import { CLAIM_SOURCES } from '../alerts/cases/claim.ts';
import type { CompileContext } from './compile-context.ts';
import type { FieldCondition } from './field-conditions.ts';
import { compileField } from './field-conditions.ts';
import { POLICY_FIELDS } from './fields.ts';
import type { Place, SourceNode } from './source.ts';
import { suggestion } from './suggestion.ts';

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | FieldCondition;

export const CONNECTIVES = ['all', 'any', 'not'] as const;

/** Compiles a mapping of conditions, all of which must hold. */
export function compileConditions(
  node: SourceNode,
  context: CompileContext,
): Condition | undefined {
  const { problems } = context;
  if (node.kind !== 'map') {
    return problems.add(node.at, 'conditions are written as "name: value", one per line.');
  }
  if (node.entries.length === 0) return problems.add(node.at, 'a condition is missing here.');
  const of = node.entries.map(({ key, at, value }) => compileEntry(key, { at, value }, context));
  const compiled = of.filter((condition) => condition !== undefined);
  if (compiled.length < of.length) return undefined;
  const [only] = compiled;
  return compiled.length === 1 && only !== undefined ? only : { kind: 'all', of: compiled };
}

/** The claims that a condition asks for by name: only rules that do are ever about them. */
export function sourcesOf(condition: Condition): readonly ClaimSource[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return CLAIM_SOURCES.filter((source) =>
        condition.of.some((each) => sourcesOf(each).includes(source)),
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

interface Entry {
  readonly at: Place;
  readonly value: SourceNode;
}

function compileEntry(key: string, entry: Entry, context: CompileContext): Condition | undefined {
  if (key === 'not') {
    const of = compileConditions(entry.value, context);
    return of === undefined ? undefined : { kind: 'not', of };
  }
  if (key === 'all' || key === 'any') return compileList(key, entry, context);
  const field = POLICY_FIELDS.get(key);
  if (field === undefined) {
    const words = [...POLICY_FIELDS.keys(), ...CONNECTIVES];
    return context.problems.add(entry.at, `unknown condition "${key}". ${suggestion(key, words)}`);
  }
  context.asked.add(key);
  return compileField({ field, value: entry.value }, context);
}

function compileList(
  kind: 'all' | 'any',
  entry: Entry,
  context: CompileContext,
): Condition | undefined {
  const { value } = entry;
  if (value.kind !== 'list' || value.items.length === 0) {
    return context.problems.add(
      value.at,
      `"${kind}" takes a list of conditions, each after a "-".`,
    );
  }
  const of = value.items.map((item) => compileConditions(item, context));
  const compiled = of.filter((condition) => condition !== undefined);
  return compiled.length < of.length ? undefined : { kind, of: compiled };
}
