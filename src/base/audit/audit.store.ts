/** Writes to the audit log, always inside the transaction whose step they record. */
import type { AuditLine } from '../db/commit-writes.store.ts';
import { commitWritesOf, insertLines } from '../db/commit-writes.store.ts';
import type { Trx } from '../db/database.ts';
import type { AuditSubject } from './audit.table.ts';

/** One step, as it goes into the log. */
export interface AuditEntry {
  readonly organisationId: string;
  readonly at: Date;
  readonly subject: AuditSubject;
  readonly subjectId: string;
  readonly alertId?: string;
  /** @default 'forestall' */
  readonly actor?: string;
  readonly what: string;
  readonly fromState?: string;
  readonly toState?: string;
  /** Ids, codes and amounts only. */
  readonly detail?: Record<string, unknown>;
}

/** Appends one entry: with the others of its transaction before the commit, or at once. */
export async function writeAudit(trx: Trx, entry: AuditEntry): Promise<void> {
  const line = lineOf(entry);
  const writes = commitWritesOf(trx);
  if (writes === undefined) await insertLines([line]).execute(trx);
  else writes.add(line);
}

/** What an entry about the case of an alert says of its subject. */
export function ofCase(alertId: string): Pick<AuditEntry, 'subject' | 'subjectId' | 'alertId'> {
  return { subject: 'case', subjectId: alertId, alertId };
}

/** What an entry about the act of a person says of its subject, who is also its actor. */
export function byOperator(name: string): Pick<AuditEntry, 'subject' | 'subjectId' | 'actor'> {
  return { subject: 'operator', subjectId: name, actor: `operator:${name}` };
}

/** An entry by its columns. */
export function lineOf(entry: AuditEntry): AuditLine {
  return {
    organisation_id: entry.organisationId,
    at: entry.at,
    subject: entry.subject,
    subject_id: entry.subjectId,
    alert_id: entry.alertId ?? null,
    actor: entry.actor ?? 'forestall',
    what: entry.what,
    from_state: entry.fromState ?? null,
    to_state: entry.toState ?? null,
    detail: entry.detail ?? {},
  };
}
