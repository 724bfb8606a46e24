/** What the service holds of an object once a step is done: the line that the note takes. */
import type { Applied, AppliedObject } from './applied-file.ts';
import type { EnrolmentContent } from './content.ts';
import { isSame, sortDescriptors } from './content.ts';
import type { References } from './references.ts';
import type { Step } from './step.ts';

/** Undefined where what was there before is not known. */
export function appliedBy(
  step: Step,
  id: string,
  { references, applied }: { readonly references: References; readonly applied: Applied },
): AppliedObject | undefined {
  const key = step.key === id ? null : step.key;
  const ids = (kind: 'merchant' | 'enrolment', keys: readonly string[]): string[] =>
    keys.map((it) => references.idOf(kind, it)).sort();
  switch (step.kind) {
    case 'create_merchant':
      return { kind: 'merchant', id, key, content: step.content };
    case 'update_merchant':
      return { kind: 'merchant', id, key, content: step.after };
    case 'delete_merchant':
      return { kind: 'merchant', id, key, content: null };
    case 'create_enrolment': {
      const merchants = ids('merchant', step.content.merchants);
      return { kind: 'enrolment', id, key, content: { ...step.content, merchants } };
    }
    case 'append_descriptors': {
      const before = applied.get(id);
      if (before?.kind !== 'enrolment' || before.content === null) return undefined;
      return {
        kind: 'enrolment',
        id,
        key,
        content: withDescriptors(before.content, step.descriptors),
      };
    }
    case 'cancel_enrolment':
      return { kind: 'enrolment', id, key, content: null };
    case 'delete_ruleset':
      return { kind: 'ruleset', id, key, content: null };
    default: {
      const content = step.kind === 'create_ruleset' ? step.content : step.after;
      return {
        kind: 'ruleset',
        id,
        key,
        content: { ...content, enrolments: ids('enrolment', content.enrolments) },
      };
    }
  }
}

function withDescriptors(
  content: EnrolmentContent,
  added: EnrolmentContent['descriptors'],
): EnrolmentContent {
  const fresh = added.filter((one) => !content.descriptors.some((it) => isSame(it, one)));
  return { ...content, descriptors: sortDescriptors([...content.descriptors, ...fresh]) };
}
