/**
 * Turns the text of a policy file into a policy, or into a list of everything that is wrong with it.
 *
 * @example
 * const policy = loadPolicy(await readFile(path, 'utf8'), { file: path });
 */
import { createHash } from 'node:crypto';
import { CLAIM_SOURCES } from '../alerts/cases/claim.ts';
import type { DecisionFacts } from '../alerts/decide/facts.ts';
import type {
  Policy,
  PolicyFallback,
  PolicyOutcome,
  PolicyProposal,
  RuleTrace,
} from '../alerts/decide/policy.ts';
import type { SamePartRule } from '../alerts/ledger/same-dispute.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import { IDENTITY_BRAND_TOKENS } from '../service/wire/brand-tokens.ts';
import type { CompileContext } from './compile-context.ts';
import type { Finding } from './evaluate.ts';
import { evaluate } from './evaluate.ts';
import type { Example } from './examples.ts';
import { readExamples } from './examples.ts';
import type { FactView } from './fact-view.ts';
import { viewOf } from './fact-view.ts';
import { POLICY_FIELDS } from './fields.ts';
import { readAuthor, readLists, readPolicyRates, readSamePart, readTimeZone } from './head.ts';
import { compileFallback, compileOutcome } from './outcomes.ts';
import type { RateTable } from './rates.ts';
import type { Rule } from './rules.ts';
import { readName, readRules } from './rules.ts';
import type { SourceNode } from './source.ts';
import { knownEntries, Problems, readSource } from './source.ts';

/** Options of {@link loadPolicy}. */
export interface LoadPolicyOptions {
  /** Names a policy that does not name itself. */
  readonly file: string;
  /** What messages call the file. @default its name */
  readonly shownAs?: string | undefined;
  /** The service's real names, accepted beside the neutral tokens. */
  readonly brands?: BrandTokenMap;
  /** The contents of the files it names, by path as it names them. See `referencedFiles`. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What a policy's text comes to. */
export interface PolicyParts {
  readonly rules: readonly Rule[];
  readonly otherwise: PolicyOutcome;
  readonly timeZone: string;
  /** The merchant's own; null: nothing is converted. */
  readonly rates: RateTable | null;
  /** The words of every condition it uses. */
  readonly asked: readonly string[];
  readonly examples: readonly Example[];
}

/** A policy in the YAML language, with its parts for whoever explains or tries it. */
export interface LoadedPolicy extends Policy, PolicyParts {}

/** The top of a policy file. */
export const TOP_WORDS = [
  'name',
  'author',
  'timezone',
  'lists',
  'rates',
  'rules',
  'otherwise',
  'held',
  'same_part',
  'examples',
] as const;

/**
 * Reads a policy. Pure: the files it names are given, not read.
 *
 * @throws {PolicyError} listing every problem with file, line and column
 */
export function loadPolicy(text: string, options: LoadPolicyOptions): LoadedPolicy {
  const problems = new Problems(options.shownAs ?? options.file);
  const root = readSource(text, problems);
  const read = readParts(root, { problems, options });
  problems.throwIfAny();
  const { name, author, held, samePart, ...parts } = read;
  return {
    ...parts,
    name: name ?? options.file,
    version: policyVersion(text, options.files),
    source: text,
    kind: 'yaml',
    author,
    files: options.files ?? {},
    held,
    samePart,
    sources: CLAIM_SOURCES.filter((source) =>
      parts.rules.some((rule) => rule.sources.includes(source)),
    ),
    propose: (facts: DecisionFacts) => proposeOn(parts, viewOf(facts, parts)),
  };
}

/**
 * The version of a text: the same text, with the same lists and rates, has the same version, whatever
 * the file's name or line ends.
 */
export function policyVersion(text: string, files: Readonly<Record<string, string>> = {}): string {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const hash = createHash('sha256').update(plain);
  for (const path of Object.keys(files).sort()) hash.update(`\0${path}\0${files[path] ?? ''}`);
  return hash.digest('hex').slice(0, 16);
}

interface ReadParts extends PolicyParts {
  readonly name: string | null;
  readonly author: string | null;
  readonly held: PolicyFallback | null;
  readonly samePart: SamePartRule;
}

/** Stands where a part could not be read; `throwIfAny` ends the matter before it is used. */
const UNREADABLE: PolicyOutcome = { action: 'REVIEW', fallback: null };

const NOTHING: ReadParts = {
  name: null,
  author: null,
  held: null,
  samePart: 'REVIEW',
  rules: [],
  otherwise: UNREADABLE,
  timeZone: 'UTC',
  rates: null,
  asked: [],
  examples: [],
};

function readParts(
  root: SourceNode,
  reading: { readonly problems: Problems; readonly options: LoadPolicyOptions },
): ReadParts {
  const { problems, options } = reading;
  if (root.kind !== 'map') {
    problems.add(root.at, 'a policy begins with "rules:" and "otherwise:".');
    return NOTHING;
  }
  const entries = knownEntries(root, { words: TOP_WORDS, problems });
  if (entries === undefined) return NOTHING;
  if (entries.otherwise === undefined) {
    problems.add(root.at, '"otherwise" is missing: say what happens when no rule applies.');
  }
  const files = options.files ?? {};
  const context: CompileContext = {
    problems,
    brands: options.brands ?? IDENTITY_BRAND_TOKENS,
    lists: readLists(entries.lists, { problems, files }),
    rates: readPolicyRates(entries.rates, { problems, files }),
    asked: new Set(),
  };
  const rules = readRules(root, entries.rules, context);
  return {
    name: entries.name === undefined ? null : readName(entries.name, problems),
    author: readAuthor(entries.author, problems),
    timeZone: readTimeZone(entries.timezone, problems),
    rates: context.rates,
    rules,
    otherwise:
      entries.otherwise === undefined
        ? UNREADABLE
        : (compileOutcome(entries.otherwise, problems) ?? UNREADABLE),
    held: entries.held === undefined ? null : readHeld(entries.held, problems),
    samePart: readSamePart(entries.same_part, problems),
    examples: readExamples(entries.examples, rules, context),
    asked: [...context.asked].sort(),
  };
}

function readHeld(node: SourceNode, problems: Problems): PolicyFallback | null {
  const fallback = compileFallback(node, problems);
  if (fallback === undefined) return null;
  if (fallback.answer.action === 'ACCEPT_DISPUTE') return fallback;
  problems.add(node.at, '"held" may fall back to ACCEPT_DISPUTE only: a guard held the refund.');
  return null;
}

const NOT_ABOUT: Finding = { truth: 'no', why: 'the rule names no such source' };

/** A rule is about alerts, unless it names other sources. */
function isAbout({ sources }: Rule, view: FactView): boolean {
  const field = POLICY_FIELDS.get('source');
  const word = field?.kind === 'word' ? view.word(field) : null;
  const source = CLAIM_SOURCES.find((each) => each.toLowerCase() === word);
  return source === undefined || sources.includes(source);
}

/** The first rule that plainly applies; every rule before it leaves a trace of why it did not. */
export function proposeOn(
  { rules, otherwise }: Pick<PolicyParts, 'rules' | 'otherwise'>,
  view: FactView,
): PolicyProposal {
  const trace: RuleTrace[] = [];
  let chosen: { readonly rule: Rule; readonly why: string } | undefined;
  for (const rule of rules) {
    const { name, line } = rule;
    if (chosen !== undefined) {
      trace.push({ rule: name, line, result: 'not reached', why: 'an earlier rule applies' });
      continue;
    }
    const { truth, why } = isAbout(rule, view) ? evaluate(rule.when, view) : NOT_ABOUT;
    trace.push({ rule: name, line, result: truth, why });
    if (truth === 'yes') chosen = { rule, why };
  }
  if (chosen === undefined) {
    return {
      outcome: otherwise,
      rule: null,
      because: 'no rule applies',
      trace,
      sideActions: [],
    };
  }
  const { rule, why } = chosen;
  const { outcome, sideActions } = rule;
  return { outcome, rule: rule.name, because: why, trace, sideActions };
}
