/**
 * What service, processor and we have on record, as the embedding program asks about it: a comparison
 * now, what capabilities answer, and a customer taken out of everything but the books.
 */

import { askForPass, findRequest } from '../../alerts/reconcile/reconcile-request.store.ts';
import type { ReconcileReport } from '../../alerts/reconcile/report.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import type { CapabilityBooks } from '../../capabilities/books.ts';
import { booksOf } from '../../capabilities/books.ts';
import type { EraseReport } from '../privacy/erase.ts';
import { eraseCustomer } from '../privacy/erase.ts';
import type { OrganisationParts } from '../roles/parts.ts';

/** A comparison that somebody asked for. */
export type ComparisonState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'done'; readonly report: ReconcileReport }
  | { readonly kind: 'failed'; readonly reason: string };

/** The books of one organisation. */
export interface ForestallBooks extends CapabilityBooks {
  /**
   * Asks the worker to poll everything and to compare service, processor and our rows. Returns at once,
   * with the id that {@link ForestallBooks.comparison} takes.
   */
  compare(wishes: {
    /** What was created since is compared. */
    readonly since: Date;
    /** How many orders are read back from the service. @default 20 */
    readonly orders?: number;
    /** Who asks, as the log shows it. */
    readonly operator: string;
  }): Promise<string>;
  /** What has become of it; undefined when it was not asked for under this id. */
  comparison(id: string): Promise<ComparisonState | undefined>;
  /**
   * Erases a customer from everything but references, amounts and states, or counts what would be, and looks what is
   * left. The pool's role must own the tables, or be a member of `forestall_app`. Safe to repeat.
   *
   * @throws {ConfigError} when the address is none, or the role may not; nothing was changed then
   */
  eraseCustomer(wishes: {
    readonly customerEmail: string;
    /** Who asks, as the audit log shows it. */
    readonly operator: string;
    /** Only count. @default false */
    readonly dryRun?: boolean;
  }): Promise<EraseReport>;
}

/** Orders read back by default: what `forestall reconcile` takes too. */
const ORDERS_DEFAULT = 20;

export function createBooks({
  clock,
  organisationId,
  database: { db },
}: OrganisationParts): ForestallBooks {
  const by = (operator: string): string => `operator:${operator}`;
  return {
    ...booksOf({ db, organisationId }),
    compare: ({ since, orders = ORDERS_DEFAULT, operator }) =>
      askForPass(db, { organisationId, since, orders, by: by(operator), at: nowDate(clock) }),
    async comparison(id): Promise<ComparisonState | undefined> {
      const request = await findRequest(db, organisationId, id);
      if (request === undefined) return undefined;
      const { report, error, finished_at: finishedAt } = request;
      if (report !== null) return { kind: 'done', report };
      if (error !== null) return { kind: 'failed', reason: error };
      if (finishedAt === null) return { kind: 'waiting' };
      throw new InvariantError(`The comparison ${id} is over and left neither report nor reason.`);
    },
    eraseCustomer: ({ customerEmail, operator, dryRun = false }) =>
      eraseCustomer(db, {
        ...{ organisationId, customerEmail, dryRun },
        ...{ actor: by(operator), now: nowDate(clock) },
      }),
  };
}
