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

/**
 * How much the server tells about itself, by connection: the loops of an organisation share one, and find it out once. A
 * claim fails where that is less now, and then it is found out again.
 */
const kinds = new WeakMap<Db, IdentityKind>();

async function kindOf(db: Db): Promise<IdentityKind> {
  const kind = kinds.get(db) ?? (await findIdentity(db)).kind;
  kinds.set(db, kind);
  return kind;
}

/** Creates the gate of one loop. The refund's last check is in the transaction that sends (`awaitsRecoveryCheck`). */
export function createClaimGate(deps: {
  readonly db: Db;
  readonly organisationId: string;
}): ClaimGate {
  const { db, organisationId } = deps;
  return {
    async claim<Result>(take: (isShut: RawBuilder<boolean>) => Promise<Result>): Promise<Result> {
      try {
        return await take(recoveryCheckNeeded(organisationId, await kindOf(db)));
      } catch (error) {
        kinds.delete(db);
        throw error;
      }
    },
  };
}
