/** What the comparison of `main.ts` leaves out, each with its reason. */

/** Statements that show something to nobody, by the beginning of their text without its spaces. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'select (select system_identifier from pg_control_system())':
    'tells which server and which database this is, and reads no row of an organisation',
  // A role without the right to read the control file reads less.
  'select ( select oid from pg_database': 'the same',
  'select b.*, ( select oid from pg_database': 'the same beside a row of the breaker',
  'select b.*, (select system_identifier from pg_control_system())':
    'the same beside a row of the breaker, of which it shows nothing',
  'select asking.organisation, answer.due from unnest($1::text[])':
    'names the organisations that it was given, where a condition needs no row',
  'with tables as ( select c.oid, c.relname::text as name, c.relrowsecurity':
    'the doctor reads which tables the wall holds for; of organisations it counts none',
  'select coalesce(pg_sequence_last_value(pg_get_serial_sequence(':
    'how many numbers were drawn for all organisations together',
  "select nextval(pg_get_serial_sequence('": 'draws a number for them',
  'select c.oid::regclass::text as name, ceil(pg_relation_size(c.oid)':
    'how large the partitions of a table are, for all organisations together',
};

/** Stores that need not be heard: most of them read and write no row of an organisation. */
export const SILENT: Readonly<Record<string, string>> = {
  'base/audit/audit.store.ts':
    'hands its lines to `base/db/commit-writes.store.ts`, which is heard',
  'capabilities/cells/fence.store.ts': 'makes triggers, and reads which there are',
  'base/jobs/wake.store.ts': 'notifies: the topic names the organisation, and no table is read',
};
