/**
 * Puts a policy that was written in the console in force: by a second person, never by one of its authors.
 *
 * Durable when the transaction commits: the version's text, its activation with author and second person,
 * the draft's end, and the audit row. Workers hear of it at once and decide by it from their next decision on.
 */
import { personOf } from '../../../alerts/cases/person.ts';
import { writeAudit } from '../../../base/audit/audit.store.ts';
import type { Trx } from '../../../base/db/database.ts';
import { wake } from '../../../base/jobs/wake.store.ts';
import type { LoadedPolicy } from '../../../policy/load.ts';
import {
  findActivation,
  insertActivation,
  lockActivations,
  POLICY_TOPIC,
} from '../../../policy/version.store.ts';
import type { BrandTokenMap } from '../../../service/wire/brand-tokens.ts';
import { checkText } from './check-text.ts';
import type { PolicyDraft } from './draft.store.ts';
import { lockDraft, markActive } from './draft.store.ts';

/** Where activations from the console come from. */
const CONSOLE_ORIGIN = 'console';

/** Who wants what in force, as they saw it. */
export interface DraftActivation {
  readonly organisationId: string;
  readonly id: string;
  readonly operator: string;
  /** The version of the text that the person saw. */
  readonly version: string;
  /** The version in force that it was compared with. */
  readonly inForce: string | null;
  readonly brands: BrandTokenMap | undefined;
  readonly now: Date;
}

/** Why it is refused, with the sentence the person reads. */
export const ACTIVATION_REFUSALS = {
  not_found: 'There is no such draft.',
  finished: 'It is no draft any more: it was put in force, or discarded.',
  changed: 'Its text was changed since you looked at it. Read it again.',
  overtaken: 'Another policy was put in force meanwhile. Look at what would change now.',
  same_person: 'You wrote at this policy. Somebody else must put it in force.',
  unusable: 'The text cannot be used as it is. See the checks.',
  same: 'This very text is in force already.',
} as const;
export type ActivationRefusal = keyof typeof ACTIVATION_REFUSALS;

export type ActivationResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: ActivationRefusal };

/** Puts it in force, or says why not. */
export async function activateDraft(trx: Trx, asked: DraftActivation): Promise<ActivationResult> {
  const { organisationId, id, operator, now } = asked;
  await lockActivations(trx, organisationId);
  const draft = await lockDraft(trx, organisationId, id);
  const refusal = await refusalOf(trx, draft, asked);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const policy = draft === undefined ? undefined : usable(draft, asked);
  if (draft === undefined || policy === undefined) return { ok: false, reason: 'unusable' };
  const author = draft.authors.join(', ');
  const activation = { organisationId, policy, author, origin: CONSOLE_ORIGIN, now };
  const previous = await insertActivation(trx, { ...activation, approvedBy: operator });
  if (previous === undefined) return { ok: false, reason: 'same' };
  await markActive(trx, draft, { operator, now });
  await writeAudit(trx, {
    organisationId,
    at: now,
    subject: 'policy',
    subjectId: policy.version,
    actor: `operator:${operator}`,
    what: 'policy activated',
    detail: {
      name: policy.name,
      author,
      approved_by: operator,
      previous_version: previous,
      origin: CONSOLE_ORIGIN,
      draft: id,
    },
  });
  await wake(trx, POLICY_TOPIC);
  return { ok: true };
}

async function refusalOf(
  trx: Trx,
  draft: PolicyDraft | undefined,
  { organisationId, operator, version, inForce }: DraftActivation,
): Promise<ActivationRefusal | undefined> {
  if (draft === undefined) return 'not_found';
  if (draft.state !== 'DRAFT') return 'finished';
  if (isAuthor(draft, operator)) return 'same_person';
  if (draft.version === null) return 'unusable';
  if (draft.version !== version) return 'changed';
  const latest = await findActivation(trx, organisationId);
  if ((latest?.version ?? null) !== inForce) return 'overtaken';
  return undefined;
}

/** Whether the person behind the name wrote at it. */
export function isAuthor({ authors }: Pick<PolicyDraft, 'authors'>, operator: string): boolean {
  return authors.some((author) => personOf(author) === personOf(operator));
}

/** The policy of the stored text, when it still comes to the version that was checked. */
function usable(
  { source, files, version }: PolicyDraft,
  { brands }: DraftActivation,
): LoadedPolicy | undefined {
  const checked = checkText(source, { known: files, brands });
  return checked.ok && checked.policy.version === version ? checked.policy : undefined;
}
