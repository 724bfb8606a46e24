/** A policy's text checked as a whole: everything that is wrong with it by line and column, and its examples run. Pure. */

import type { ExampleResult } from '../../../policy/examples.ts';
import { runExamples } from '../../../policy/examples.ts';
import type { LoadedPolicy } from '../../../policy/load.ts';
import { loadPolicy, proposeOn } from '../../../policy/load.ts';
import { referencedFiles } from '../../../policy/references.ts';
import type { PolicyProblem } from '../../../policy/source.ts';
import { PolicyError } from '../../../policy/source.ts';
import type { BrandTokenMap } from '../../../service/wire/brand-tokens.ts';

/** What the checks found. */
export type PolicyCheck =
  | {
      readonly ok: true;
      readonly policy: LoadedPolicy;
      readonly files: Readonly<Record<string, string>>;
      readonly examples: readonly ExampleResult[];
    }
  | {
      readonly ok: false;
      readonly files: Readonly<Record<string, string>>;
      readonly problems: readonly PolicyProblem[];
    };

/** Checks the text with the files that it names out of `known`. */
export function checkText(
  text: string,
  { known, brands }: { known: Readonly<Record<string, string>>; brands: BrandTokenMap | undefined },
): PolicyCheck {
  const named = referencedFiles(text);
  const files = Object.fromEntries(Object.entries(known).filter(([path]) => named.includes(path)));
  try {
    const policy = loadPolicy(text, { file: 'policy', files, ...(brands && { brands }) });
    const examples = runExamples(policy.examples, (view) => proposeOn(policy, view));
    return { ok: true, policy, files, examples };
  } catch (error) {
    if (error instanceof PolicyError) return { ok: false, files, problems: error.problems };
    throw error;
  }
}
