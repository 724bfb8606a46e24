/** Sign-ins at the identity provider that are under way: each is used once, within ten minutes. */
import type { Selectable } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { ConsoleOidcFlowTable } from './operator.table.ts';
import { hashSecret } from './secret.ts';

/** Longest time a person may take at the provider, in milliseconds. */
export const OIDC_FLOW_MS = 10 * 60_000;

/** Sign-ins under way from one address; beyond, the oldest of that address are dropped, and those of no other. */
export const FLOWS_MAX = 50;

export type OidcFlow = Selectable<ConsoleOidcFlowTable>;

/** What is kept while the person is at the provider. */
export interface NewFlow {
  readonly organisationId: string;
  readonly state: string;
  readonly codeVerifier: string;
  readonly nonce: string;
  readonly nextPath: string;
  readonly confirms: Buffer | null;
  /** Of the browser that begins it, as `addressKey` makes it. */
  readonly address: string;
  readonly now: Date;
}

/** Keeps it, and forgets what is too old. */
export async function storeFlow(db: Db, flow: NewFlow): Promise<void> {
  const addressHash = hashSecret(flow.address);
  await db
    .deleteFrom('console_oidc_flow')
    .where('organisation_id', '=', flow.organisationId)
    .where((where) =>
      where.or([
        where('expires_at', '<=', flow.now),
        where(
          'state_hash',
          'in',
          where
            .selectFrom('console_oidc_flow')
            .select('state_hash')
            .where('organisation_id', '=', flow.organisationId)
            .where('address_hash', '=', addressHash)
            .orderBy('expires_at', 'desc')
            .orderBy('state_hash')
            .offset(FLOWS_MAX - 1),
        ),
      ]),
    )
    .execute();
  await db
    .insertInto('console_oidc_flow')
    .values({
      state_hash: hashSecret(flow.state),
      organisation_id: flow.organisationId,
      code_verifier: flow.codeVerifier,
      nonce: flow.nonce,
      next_path: flow.nextPath,
      confirms: flow.confirms,
      address_hash: addressHash,
      expires_at: new Date(flow.now.getTime() + OIDC_FLOW_MS),
    })
    .execute();
}

/** Takes it back; a second time there is nothing. */
export async function takeFlow(
  db: Db,
  organisationId: string,
  { state, now }: { readonly state: string; readonly now: Date },
): Promise<OidcFlow | undefined> {
  const row = await db
    .deleteFrom('console_oidc_flow')
    .where('organisation_id', '=', organisationId)
    .where('state_hash', '=', hashSecret(state))
    .returningAll()
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now ? row : undefined;
}
