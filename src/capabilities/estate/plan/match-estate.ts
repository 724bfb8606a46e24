/** Which object of the service each entry of the file means. */

import type { FileProblem } from '../../../base/kernel/yaml-text.ts';
import type { Merchant } from '../../../service/wire/merchant.ts';
import type { Ruleset } from '../../../service/wire/ruleset.ts';
import type { EnrolmentContent, KeyOf } from './content.ts';
import {
  enrolmentOfFile,
  enrolmentOfService,
  isSame,
  merchantOfFile,
  merchantOfService,
} from './content.ts';
import type { Estate, MerchantEntry, Written } from './estate.ts';
import type { EnrolmentPair, MerchantPair, RulesetPair } from './match-rulesets.ts';
import { matchRulesets, missing } from './match-rulesets.ts';
import type { RemoteEstate } from './remote-estate.ts';

/** File and service side by side. */
export interface Matched {
  readonly merchants: readonly MerchantPair[];
  readonly enrolments: readonly EnrolmentPair[];
  readonly rulesets: readonly RulesetPair[];
  /** What the service holds and no entry means. */
  readonly unlisted: RemoteEstate;
  /** Rulesets that an entry names by id while another ruleset has its content already. */
  readonly superseded: readonly Ruleset[];
  readonly keyOfMerchant: KeyOf;
  readonly keyOfEnrolment: KeyOf;
  readonly problems: readonly FileProblem[];
  readonly notes: readonly string[];
}

/** Compares by id, else by content. Pure. */
export function matchEstate(estate: Estate, remote: RemoteEstate): Matched {
  const found: Found = { problems: [], notes: [] };
  const merchants = matchMerchants(estate, remote, found);
  const keyOfMerchant = keysOf(merchants);
  const enrolments = matchEnrolments(estate, remote, { ...found, keyOf: keyOfMerchant });
  const keyOfEnrolment = keysOf(enrolments);
  const { pairs, superseded, problems, notes } = matchRulesets(estate, remote, keyOfEnrolment);
  found.problems.push(...problems);
  found.notes.push(...notes);
  const without = <Remote extends { readonly id: string }>(
    all: readonly Remote[],
    pairsOf: readonly { readonly remote?: Remote }[],
    more: readonly Remote[] = [],
  ): Remote[] => {
    const known = new Set([
      ...pairsOf.map((pair) => pair.remote?.id),
      ...more.map((object) => object.id),
    ]);
    return all.filter(({ id }) => !known.has(id));
  };
  return {
    merchants,
    enrolments,
    rulesets: pairs,
    superseded,
    unlisted: {
      merchants: without(remote.merchants, merchants),
      enrolments: without(remote.enrolments, enrolments),
      rulesets: without(remote.rulesets, pairs, superseded),
    },
    keyOfMerchant,
    keyOfEnrolment,
    ...found,
  };
}

interface Found {
  readonly problems: FileProblem[];
  readonly notes: string[];
}

function keysOf(
  pairs: readonly {
    readonly entry: { readonly key: string };
    readonly remote?: { readonly id: string };
  }[],
): KeyOf {
  const keys = new Map(
    pairs.flatMap(({ entry, remote }) => (remote ? [[remote.id, entry.key]] : [])),
  );
  return (id) => keys.get(id) ?? id;
}

function matchMerchants(
  estate: Estate,
  { merchants }: RemoteEstate,
  { problems }: Found,
): MerchantPair[] {
  const byId = new Map(merchants.map((merchant) => [merchant.id, merchant]));
  const byExternalId = Map.groupBy(
    merchants,
    (merchant) => `${merchant.organisation_id} ${merchant.external_id}`,
  );
  return estate.merchants.map((entry): MerchantPair => {
    const wanted = merchantOfFile(entry);
    const organisation = entry.organisation ?? estate.organisation;
    const pair = (remote: Merchant): MerchantPair => ({
      entry,
      wanted,
      remote,
      held: merchantOfService(remote),
    });
    if (entry.id !== undefined) {
      const remote = byId.get(entry.id);
      problems.push(...problemsOfId(entry, organisation, remote));
      return remote === undefined ? { entry, wanted } : pair(remote);
    }
    const [first, ...more] = byExternalId.get(`${organisation} ${wanted.external_id}`) ?? [];
    if (more.length > 0) {
      problems.push({
        ...entry.at,
        message: `${more.length + 1} merchants have the external_id "${wanted.external_id}". Name the id of the one you mean.`,
      });
    }
    return first === undefined ? { entry, wanted } : pair(first);
  });
}

function problemsOfId(
  entry: Written<MerchantEntry>,
  organisation: string,
  remote: Merchant | undefined,
): FileProblem[] {
  if (remote === undefined) return [missing(entry, 'merchant')];
  if (remote.organisation_id === organisation) return [];
  const message = `merchant "${entry.key}" belongs to ${remote.organisation_id} at the service, not to ${organisation}. A merchant cannot move: correct the organisation.`;
  return [{ ...entry.at, message }];
}

function matchEnrolments(
  estate: Estate,
  { enrolments }: RemoteEstate,
  { problems, keyOf }: Found & { readonly keyOf: KeyOf },
): EnrolmentPair[] {
  const byId = new Map(enrolments.map((enrolment) => [enrolment.id, enrolment]));
  const named = new Set(estate.enrolments.map(({ id }) => id));
  const open = enrolments
    .filter(({ id, status }) => status !== 'CANCELLED' && !named.has(id))
    .map((remote) => ({ remote, held: enrolmentOfService(remote, keyOf) }));
  const byKind = Map.groupBy(open, ({ held }) => kindOf(held));
  const taken = new Set<string>();
  return estate.enrolments.map((entry): EnrolmentPair => {
    const wanted = enrolmentOfFile(entry);
    if (entry.id !== undefined) {
      const remote = byId.get(entry.id);
      if (remote === undefined) {
        problems.push(missing(entry, 'enrolment'));
        return { entry, wanted };
      }
      if (remote.status === 'CANCELLED') {
        problems.push({
          ...entry.at,
          message: `enrolment "${entry.key}" is ${remote.id}, which was cancelled. Remove the id to enrol again, or remove the entry.`,
        });
      }
      return { entry, wanted, remote, held: enrolmentOfService(remote, keyOf) };
    }
    const candidates = (byKind.get(kindOf(wanted)) ?? []).filter(
      ({ remote, held }) => !taken.has(remote.id) && isLike(wanted, held),
    );
    const exact = candidates.filter(({ held }) => isSame(held, wanted));
    const [first, ...more] = exact.length > 0 ? exact : candidates;
    if (first === undefined) return { entry, wanted };
    if (more.length > 0) {
      problems.push({
        ...entry.at,
        message: `${more.length + 1} enrolments at the service could be "${entry.key}" (${[first, ...more].map(({ remote }) => remote.id).join(', ')}). Name the id of the one you mean.`,
      });
    }
    taken.add(first.remote.id);
    return { entry, wanted, ...first };
  });
}

/** What enrolments that may be the same have in common. */
function kindOf({ type, merchants, bin, caid, arns }: EnrolmentContent): string {
  return type === 'NETB_RDR'
    ? JSON.stringify([type, bin, caid, arns])
    : JSON.stringify([type, merchants]);
}

function isLike(wanted: EnrolmentContent, held: EnrolmentContent): boolean {
  if (wanted.type === 'NETB_RDR') return true;
  return wanted.descriptors.some((one) => held.descriptors.some((other) => isSame(one, other)));
}
