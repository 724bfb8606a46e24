/**
 * What intake needs to know about the installation it serves.
 */
import type { Clock } from '../base/kernel/clock.ts';
import type { DataKeys } from '../base/kernel/data-keys.ts';
import type { ChargesKnown } from './charge-index.ts';
import type { ProgrammePolicy } from './programme.ts';

/** What intake needs to know. */
export interface IntakeContext {
  readonly organisationId: string;
  /** Taken for orders that name none. */
  readonly integrationId?: string | undefined;
  readonly clock: Clock;
  /** @default nothing is held */
  readonly programmes?: ProgrammePolicy;
  /**
   * For a file, whose lines are no corrections of one another: the place where the reference was before. A payment
   * that belongs to another order is refused too. @default orders are corrected, and payments renamed
   */
  readonly firstLineOf?: ((input: unknown) => number | undefined) | undefined;
  /** Wakes the alerts that wait for one of the charges. */
  readonly onCharges: ChargesKnown;
  /**
   * Keys under which orders are sealed inside a transaction of the merchant's own, whose handle carries
   * none. Everywhere else the database's handle does.
   */
  readonly dataKeys?: DataKeys | undefined;
}
