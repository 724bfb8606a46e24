/**
 * All SQL of the policy's versions and activations.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Policy } from '../decide/policy.ts';

/** Keeps the text of a policy with the files it read, once per version. */
export async function keepPolicyVersion(
  trx: Transaction<Database>,
  organisationId: string,
  use: { readonly policy: Policy; readonly now: Date },
): Promise<void> {
  const { policy, now } = use;
  await trx
    .insertInto('policy_version')
    .values({
      organisation_id: organisationId,
      version: policy.version,
      source: policy.source,
      first_used_at: now,
      name: policy.name,
      author: policy.author ?? null,
      kind: policy.kind ?? 'yaml',
      files: JSON.stringify(policy.files ?? {}),
    })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'version']).doNothing())
    .execute();
}
