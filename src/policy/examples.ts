/**
 * Examples written next to the rules: what is given, in the words of the conditions, and what should
 * be decided. What an example does not give is not known.
 */
import type { PolicyOutcome, PolicyProposal, SideAction } from '../alerts/decide/policy.ts';
import type { Money } from '../base/kernel/money.ts';
import type { FactView } from './fact-view.ts';
import type { GivenValue } from './field-conditions.ts';
import { outcomeText } from './outcomes.ts';

/** How an example names the part that speaks when no rule applies. */
export const OTHERWISE = 'otherwise';

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

/** The facts that an example gives, by the word of their condition. */
export function viewOfGiven(given: Readonly<Record<string, GivenValue | undefined>>): FactView {
  return {
    text: ({ name }): string | readonly string[] | null => {
      const value = given[name];
      return typeof value === 'string' || isTexts(value) ? value : null;
    },
    word: ({ name }): string | null => {
      const value = given[name];
      return typeof value === 'string' ? value : null;
    },
    amount: ({ name }): Money | null => {
      const value = given[name];
      return typeof value === 'object' && !isTexts(value) ? value : null;
    },
    span: ({ name }): number | null => {
      const value = given[name];
      return typeof value === 'number' ? value : null;
    },
    flag: ({ name }): boolean | null => {
      const value = given[name];
      return typeof value === 'boolean' ? value : null;
    },
  };
}

function isTexts(value: GivenValue | undefined): value is readonly string[] {
  return Array.isArray(value);
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
