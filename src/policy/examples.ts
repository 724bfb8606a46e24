/**
 * Examples written beside the rules: what is given, in the words of the conditions, and what should
 * come of it. Whatever an example does not give is not known.
 */
import type { PolicyOutcome, PolicyProposal, SideAction } from '../alerts/decide/policy.ts';
import type { Money } from '../base/kernel/money.ts';
import type { Parsed } from '../base/kernel/units.ts';
import { parseAmount, parseDuration, parseNumber } from '../base/kernel/units.ts';
import type { CompileContext } from './compile-context.ts';
import type { FactView } from './fact-view.ts';
import type { PolicyField } from './field-kinds.ts';
import { acceptedWords, POLICY_FIELDS } from './fields.ts';
import { compileOutcome, outcomeText } from './outcomes.ts';
import type { Rule } from './rules.ts';
import { readName } from './rules.ts';
import { compileSideActions } from './side-actions.ts';
import type { Problems, SourceNode } from './source.ts';
import { knownEntries } from './source.ts';
import { suggestion } from './suggestion.ts';

/** Most examples of one policy. */
export const EXAMPLES_MAX = 1_000;

/** What an example is written with. */
export const EXAMPLE_WORDS = ['name', 'given', 'expect', 'rule', 'also'] as const;

/** How an example names the part that speaks when no rule applies. */
const OTHERWISE = 'otherwise';

export interface Example {
  readonly name: string;
  readonly line: number;
  readonly given: FactView;
  readonly expect: PolicyOutcome;
  /** The rule that should apply; null for `otherwise`; undefined: any. */
  readonly rule: string | null | undefined;
  /** What should be wanted besides; undefined: anything. */
  readonly also: readonly SideAction[] | undefined;
}

/** Reads `examples:`, noting every problem. */
export function readExamples(
  node: SourceNode | undefined,
  rules: readonly Rule[],
  context: CompileContext,
): readonly Example[] {
  if (node === undefined) return [];
  const { problems } = context;
  if (node.kind !== 'list') {
    problems.add(node.at, '"examples" is a list: begin each example with "- name:".');
    return [];
  }
  if (node.items.length > EXAMPLES_MAX) {
    problems.add(node.at, `${node.items.length} examples; at most ${EXAMPLES_MAX} are allowed.`);
    return [];
  }
  return node.items
    .map((item) => readExample(item, rules, context))
    .filter((example) => example !== undefined);
}

function readExample(
  node: SourceNode,
  rules: readonly Rule[],
  context: CompileContext,
): Example | undefined {
  const { problems } = context;
  if (node.kind !== 'map') {
    return problems.add(node.at, 'an example has "name:", "given:" and "expect:".');
  }
  const entries = knownEntries(node, { words: EXAMPLE_WORDS, problems });
  if (entries === undefined) return undefined;
  const { name, given, expect, rule, also } = entries;
  if (name === undefined) problems.add(node.at, 'this example has no "name".');
  if (given === undefined) problems.add(node.at, 'this example has no "given".');
  if (expect === undefined) problems.add(node.at, 'this example has no "expect".');
  const text = name === undefined ? null : readName(name, problems);
  const values = given === undefined ? undefined : readGiven(given, context);
  const outcome = expect === undefined ? undefined : compileOutcome(expect, problems);
  const wanted = rule === undefined ? undefined : readRuleName(rule, rules, problems);
  const actions = also === undefined ? undefined : compileSideActions(also, problems);
  if (text === null || values === undefined || outcome === undefined) return undefined;
  const { line } = node.at;
  return { name: text, line, given: values, expect: outcome, rule: wanted, also: actions };
}

function readRuleName(
  node: SourceNode,
  rules: readonly Rule[],
  problems: Problems,
): string | null | undefined {
  const text = node.kind === 'text' ? node.text : '';
  if (rules.some(({ name }) => name === text)) return text;
  if (text === OTHERWISE) return null;
  // A rule that could not be read has no name here; its own problem is the one to mend.
  if (problems.list.length > 0) return undefined;
  const names = [...rules.map(({ name }) => name), OTHERWISE];
  return problems.add(node.at, `there is no rule "${text}". ${suggestion(text, names)}`);
}

/** The values an example gives, by the word of their condition. */
interface Given {
  readonly texts: Map<string, string | readonly string[]>;
  readonly amounts: Map<string, Money>;
  readonly numbers: Map<string, number>;
  readonly flags: Map<string, boolean>;
}

function readGiven(node: SourceNode, context: CompileContext): FactView | undefined {
  const { problems } = context;
  if (node.kind !== 'map') {
    return problems.add(node.at, 'what is given is written as "name: value", one per line.');
  }
  const given: Given = {
    texts: new Map(),
    amounts: new Map(),
    numbers: new Map(),
    flags: new Map(),
  };
  let clean = true;
  for (const { key, at, value } of node.entries) {
    const field = POLICY_FIELDS.get(key);
    if (field === undefined) {
      problems.add(at, `unknown condition "${key}". ${suggestion(key, [...POLICY_FIELDS.keys()])}`);
      clean = false;
    } else if (!putValue(given, { field, value }, context)) {
      clean = false;
    }
  }
  return clean ? viewOfGiven(given) : undefined;
}

/** Puts one value; false, with the problem noted, when it does not fit its field. */
function putValue(
  given: Given,
  { field, value }: { readonly field: PolicyField; readonly value: SourceNode },
  { problems, brands }: CompileContext,
): boolean {
  const text = value.kind === 'text' ? value.text : '';
  const put = <Value>(into: Map<string, Value>, parsed: Parsed<Value>): boolean => {
    if (parsed.ok) into.set(field.name, parsed.value);
    else problems.add(value.at, parsed.message);
    return parsed.ok;
  };
  switch (field.kind) {
    case 'amount':
      return put(given.amounts, parseAmount(text));
    case 'duration':
      return put(given.numbers, parseDuration(text));
    case 'number':
      return put(given.numbers, parseNumber(text));
    case 'flag':
      return put(
        given.flags,
        text === 'true' || text === 'false'
          ? { ok: true, value: text === 'true' }
          : { ok: false, message: `"${field.name}" is true or false.` },
      );
    case 'word': {
      const accepted = acceptedWords(field, brands);
      const word = accepted.get(text);
      const hint = suggestion(text, [...accepted.keys()]);
      const message = `"${text}" is no value of "${field.name}". ${hint}`;
      return put(given.texts, word === undefined ? { ok: false, message } : ok(word));
    }
    case 'text': {
      const texts = (value.kind === 'list' ? value.items : [value]).map((item) =>
        item.kind === 'text' ? item.text : '',
      );
      const message = `"${field.name}" takes a text, or a list of texts.`;
      const keys = field.keyOf === undefined ? texts : texts.map(field.keyOf);
      return put(given.texts, texts.includes('') ? { ok: false, message } : ok(keys));
    }
  }
}

function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

function viewOfGiven({ texts, amounts, numbers, flags }: Given): FactView {
  return {
    text: ({ name }) => texts.get(name) ?? null,
    word: ({ name }): string | null => {
      const word = texts.get(name);
      return typeof word === 'string' ? word : null;
    },
    amount: ({ name }) => amounts.get(name) ?? null,
    span: ({ name }) => numbers.get(name) ?? null,
    flag: ({ name }) => flags.get(name) ?? null,
  };
}

/** How an example went. */
export interface ExampleResult {
  readonly name: string;
  readonly line: number;
  /** Empty: it went as expected. */
  readonly faults: readonly string[];
  readonly proposal: PolicyProposal;
}

/** Tries every example. Pure. */
export function runExamples(
  examples: readonly Example[],
  propose: (view: FactView) => PolicyProposal,
): readonly ExampleResult[] {
  return examples.map((example) => {
    const proposal = propose(example.given);
    return {
      name: example.name,
      line: example.line,
      faults: faultsOf(example, proposal),
      proposal,
    };
  });
}

function faultsOf({ expect, rule, also }: Example, proposal: PolicyProposal): string[] {
  const faults: string[] = [];
  const [wanted, got] = [outcomeText(expect), outcomeText(proposal.outcome)];
  // A bare REVIEW leaves open what the alert falls back to.
  const anyReview = expect.action === 'REVIEW' && expect.fallback === null;
  if (anyReview ? proposal.outcome.action !== 'REVIEW' : wanted !== got) {
    faults.push(`expected ${wanted}, got ${got}`);
  }
  if (rule !== undefined && rule !== proposal.rule) {
    faults.push(`expected ${ruleText(rule)}, got ${ruleText(proposal.rule)}`);
  }
  const [wantedAlso, gotAlso] = [sideText(also ?? []), sideText(proposal.sideActions)];
  if (also !== undefined && wantedAlso !== gotAlso) {
    faults.push(`expected also ${wantedAlso}, got ${gotAlso}`);
  }
  return faults;
}

function ruleText(rule: string | null): string {
  return rule === null ? '"otherwise"' : `rule "${rule}"`;
}

function sideText(actions: readonly SideAction[]): string {
  return actions.length === 0 ? 'nothing' : actions.map(({ kind }) => kind).join(', ');
}
