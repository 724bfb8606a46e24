/**
 * Pauses loops that move money or answer until the recovery check has finished. It is a condition inside the statement that claims, so that nothing is taken on an older answer.
 */
import type { RawBuilder } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { IdentityKind } from './database-identity.store.ts';
import { findIdentity } from './database-identity.store.ts';
import { recoveryCheckNeeded } from './recovery-check.store.ts';

/** The gate of one loop. */
export interface ClaimGate {
  /** Claims, given the condition under which rows may not be taken. */
  claim<Result>(take: (isShut: RawBuilder<boolean>) => Promise<Result>): Promise<Result>;
}

/** Creates the gate of one loop. The refund's last check is in the transaction that sends (`awaitsRecoveryCheck`). */
export function createClaimGate(deps: {
  readonly db: Db;
  readonly organisationId: string;
}): ClaimGate {
  const { db, organisationId } = deps;
  /** How much the server tells about itself. A claim fails where that is less now: found out again then. */
  let kind: IdentityKind | undefined;
  return {
    async claim<Result>(take: (isShut: RawBuilder<boolean>) => Promise<Result>): Promise<Result> {
      try {
        kind ??= (await findIdentity(db)).kind;
        return await take(recoveryCheckNeeded(organisationId, kind));
      } catch (error) {
        kind = undefined;
        throw error;
      }
    },
  };
}
