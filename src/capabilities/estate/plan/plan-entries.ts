/** The steps for merchants and enrolments, and what the service would refuse. */

import type { FilePosition, FileProblem } from '../../../base/kernel/yaml-text.ts';
import type { Enrolment } from '../../../service/wire/enrolment.ts';
import {
  APPENDABLE_ENROLMENT_STATUSES,
  CREATABLE_ENROLMENT_TYPES,
} from '../../../service/wire/enrolment.ts';
import type { DescriptorContent } from './content.ts';
import { isSame, merchantOfService } from './content.ts';
import type { Estate } from './estate.ts';
import type { Matched } from './match-estate.ts';
import type { EnrolmentPair } from './match-rulesets.ts';
import type { RemoteEstate } from './remote-estate.ts';
import type { Step } from './step.ts';

/** Where problems and notes go, and what they are about. */
export interface Planning {
  readonly matched: Matched;
  readonly problems: FileProblem[];
  readonly notes: string[];
}

/** Creations and changes of merchants. */
export function planMerchants(
  estate: Estate,
  remote: RemoteEstate,
  { matched, problems }: Planning,
): Step[] {
  const used = new Set(remote.enrolments.flatMap((enrolment) => enrolment.merchant_ids ?? []));
  return matched.merchants.flatMap(({ entry, wanted, remote: merchant, held }): Step[] => {
    const { key } = entry;
    if (merchant === undefined || held === undefined) {
      const organisation = entry.organisation ?? estate.organisation;
      return [{ kind: 'create_merchant', key, organisation, content: wanted }];
    }
    if (isSame(wanted, held)) return [];
    if (wanted.type !== held.type && used.has(merchant.id)) {
      const message = `the type of merchant "${key}" cannot change from ${held.type} to ${wanted.type}: it has enrolments (MERCHANT_TYPE_CHANGE_RESTRICTED). Keep the type, or ask the service's support.`;
      problems.push({ ...entry.at, message });
      return [];
    }
    return [{ kind: 'update_merchant', key, id: merchant.id, before: held, after: wanted }];
  });
}

/** New enrolments and new descriptors. */
export function planEnrolments(estate: Estate, planning: Planning): Step[] {
  return planning.matched.enrolments.flatMap((pair): Step[] => {
    const { entry, wanted, remote, held } = pair;
    const { key } = entry;
    if (remote === undefined || held === undefined) {
      return [{ kind: 'create_enrolment', key, content: wanted }];
    }
    const fixed = fixedPartProblem(pair);
    if (fixed !== undefined) {
      planning.problems.push({ ...entry.at, message: fixed });
      return [];
    }
    noteExtraDescriptors(estate, pair, planning);
    const descriptors = difference(wanted.descriptors, held.descriptors);
    if (descriptors.length === 0) return [];
    if (!isAppendable(remote)) {
      const message = `descriptors cannot be added to enrolment "${key}" while it is ${remote.status}. Ask the service's support.`;
      planning.problems.push({ ...entry.at, message });
      return [];
    }
    return [{ kind: 'append_descriptors', key, id: remote.id, descriptors }];
  });
}

function isAppendable({ status }: Enrolment): boolean {
  return APPENDABLE_ENROLMENT_STATUSES.some((known) => known === status);
}

function difference(
  some: readonly DescriptorContent[],
  others: readonly DescriptorContent[],
): DescriptorContent[] {
  const known = new Set(others.map((entry) => `${entry.match_type} ${entry.descriptor}`));
  return some.filter((entry) => !known.has(`${entry.match_type} ${entry.descriptor}`));
}

/** What of an enrolment can never change. */
function fixedPartProblem({ entry, wanted, held }: EnrolmentPair): string | undefined {
  if (held === undefined) return undefined;
  const step = 'Make another enrolment with a key of its own, and ask support to end this one.';
  if (wanted.type !== held.type) {
    return `enrolment "${entry.key}" is ${held.type} at the service, and its type cannot change. ${step}`;
  }
  if (!isSame(wanted.merchants, held.merchants)) {
    return `enrolment "${entry.key}" is for ${held.merchants.join(', ')} at the service, and its merchants cannot change. ${step}`;
  }
  const isPlaceSame = isSame(
    [wanted.bin, wanted.caid, wanted.arns],
    [held.bin, held.caid, held.arns],
  );
  if (wanted.type === 'NETB_RDR' && !isPlaceSame) {
    return `RDR enrolment "${entry.key}" cannot change (now ${held.arns === null ? `BIN ${held.bin}, CAID ${held.caid}` : `${held.arns.length} ARNs`}). ${step}`;
  }
  return undefined;
}

function noteExtraDescriptors(
  estate: Estate,
  { entry, wanted, held }: EnrolmentPair,
  { problems, notes }: Planning,
): void {
  const extra = difference(held?.descriptors ?? [], wanted.descriptors).map(
    (entry) => `"${entry.descriptor}"`,
  );
  if (extra.length === 0) return;
  const names = extra.join(', ');
  if (estate.unlisted === 'keep') {
    notes.push(
      `Enrolment "${entry.key}" has ${names} at the service, which the file does not list.`,
    );
  } else {
    const message = `enrolment "${entry.key}" has ${names} at the service. The interface only ever adds descriptors: list them, or ask the service's support to remove them.`;
    problems.push({ ...entry.at, message });
  }
}

/** What no file names goes, where the service allows that. */
export function planRemovals(
  remote: RemoteEstate,
  { matched, problems }: Planning,
  top: FilePosition,
): Step[] {
  const used = new Set(remote.enrolments.flatMap((enrolment) => enrolment.merchant_ids ?? []));
  const enrolments = matched.unlisted.enrolments.flatMap(({ id, status, type }): Step[] => {
    const isOurs = CREATABLE_ENROLMENT_TYPES.some((known) => known === type);
    if (status === 'CANCELLED' || !isOurs) return [];
    if (status === 'PENDING') return [{ kind: 'cancel_enrolment', key: id, id }];
    const message = `no file names enrolment ${id}, which is ${status}. Only PENDING enrolments can be cancelled: list it, or ask the service's support to end it.`;
    problems.push({ ...top, message });
    return [];
  });
  const merchants = matched.unlisted.merchants.flatMap((merchant): Step[] => {
    const { id, name } = merchant;
    if (!used.has(id)) {
      return [{ kind: 'delete_merchant', key: id, id, before: merchantOfService(merchant) }];
    }
    const message = `no file names merchant ${id} (${name}), which has enrolments, so that the service does not delete it (MERCHANT_DELETION_RESTRICTED). List it.`;
    problems.push({ ...top, message });
    return [];
  });
  return [...enrolments, ...merchants];
}
