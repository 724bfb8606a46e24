/**
 * Which ruleset of the service each ruleset of the file means: the one it names, else one of the
 * same content, else one of the same enrolments and outcome, whose rules are then changed.
 */

import type { FileProblem } from '../../../base/kernel/yaml-text.ts';
import type { Enrolment } from '../../../service/wire/enrolment.ts';
import type { Merchant } from '../../../service/wire/merchant.ts';
import type { Ruleset } from '../../../service/wire/ruleset.ts';
import type { EnrolmentContent, KeyOf, MerchantContent, RulesetContent } from './content.ts';
import { digestOf, isSame, rulesetOfFile, rulesetOfService } from './content.ts';
import type { EnrolmentEntry, Estate, MerchantEntry, RulesetEntry, Written } from './estate.ts';
import type { RemoteEstate } from './remote-estate.ts';

/** An entry with what the service holds for it; `remote` is absent for what is to be created. */
export interface Pair<Entry, Content, Remote> {
  readonly entry: Written<Entry>;
  readonly wanted: Content;
  readonly remote?: Remote;
  /** Of `remote`. */
  readonly held?: Content;
}

export type MerchantPair = Pair<MerchantEntry, MerchantContent, Merchant>;
export type EnrolmentPair = Pair<EnrolmentEntry, EnrolmentContent, Enrolment>;
export type RulesetPair = Pair<RulesetEntry, RulesetContent, Ruleset>;

/** An id in the file that the service does not show. */
export function missing(
  entry: Written<{ readonly key: string; readonly id?: string | undefined }>,
  what: string,
): FileProblem {
  return {
    ...entry.at,
    message: `${what} "${entry.key}" names ${entry.id}, and the service does not show it to this key. Remove the id to create a new one, or check the organisation and the key.`,
  };
}

interface Held {
  readonly remote: Ruleset;
  readonly held: RulesetContent;
}

/** The rulesets that no entry means yet, found by what they contain. */
interface Free {
  /** Takes one away and returns it. */
  take(index: 'content' | 'kind', content: RulesetContent): Held | undefined;
}

/** What came out. */
export interface MatchedRulesets {
  readonly pairs: RulesetPair[];
  readonly superseded: Ruleset[];
  readonly problems: readonly FileProblem[];
  readonly notes: readonly string[];
}

/** Pure. */
export function matchRulesets(
  estate: Estate,
  { rulesets }: RemoteEstate,
  keyOf: KeyOf,
): MatchedRulesets {
  const all = rulesets.map((remote): Held => ({ remote, held: rulesetOfService(remote, keyOf) }));
  const byId = new Map(all.map((held) => [held.remote.id, held]));
  const named = new Set(estate.rulesets.map(({ id }) => id));
  const free = indexFree(all.filter(({ remote }) => !named.has(remote.id)));
  const out: Omit<MatchedRulesets, 'pairs'> & {
    readonly superseded: Ruleset[];
    readonly problems: FileProblem[];
    readonly notes: string[];
  } = { superseded: [], problems: [], notes: [] };
  const certain = new Map<Written<RulesetEntry>, Held>();
  for (const entry of estate.rulesets) {
    const found = findCertain(entry, entry.id === undefined ? undefined : byId.get(entry.id), free);
    if (found.held !== undefined) certain.set(entry, found.held);
    if (found.superseded !== undefined) out.superseded.push(found.superseded);
    if (entry.id !== undefined && found.held === undefined)
      out.problems.push(missing(entry, 'ruleset'));
    if (entry.id !== undefined && found.held !== undefined && found.held.remote.id !== entry.id) {
      out.notes.push(
        `Ruleset "${entry.key}" is ${found.held.remote.id} now, and the file says ${entry.id}. Update the id.`,
      );
    }
  }
  const pairs = estate.rulesets.map((entry): RulesetPair => {
    const wanted = rulesetOfFile(entry);
    return { entry, wanted, ...(certain.get(entry) ?? free.take('kind', wanted)) };
  });
  return { pairs, ...out };
}

function findCertain(
  entry: Written<RulesetEntry>,
  named: Held | undefined,
  free: Free,
): { readonly held?: Held | undefined; readonly superseded?: Ruleset } {
  const wanted = rulesetOfFile(entry);
  if (named !== undefined && isSame(named.held, wanted)) return { held: named };
  const exact = free.take('content', wanted);
  if (exact === undefined) return { held: named };
  return { held: exact, ...(named && { superseded: named.remote }) };
}

function indexFree(all: readonly Held[]): Free {
  const taken = new Set<string>();
  const nameOf = {
    content: (content: RulesetContent): string => digestOf(content),
    kind: ({ enrolments, outcome }: RulesetContent): string => digestOf([enrolments, outcome]),
  };
  const indexes = {
    content: Map.groupBy(all, ({ held }) => nameOf.content(held)),
    kind: Map.groupBy(all, ({ held }) => nameOf.kind(held)),
  };
  return {
    take(index, content): Held | undefined {
      const candidates = indexes[index].get(nameOf[index](content)) ?? [];
      const found = candidates.find(({ remote }) => !taken.has(remote.id));
      if (found !== undefined) taken.add(found.remote.id);
      return found;
    },
  };
}
