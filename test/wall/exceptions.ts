/** What the comparison of `main.ts` leaves out, each with its reason. */

/** Statements that show something to nobody, by the beginning of their text without its spaces. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'select (select system_identifier from pg_control_system())':
    'tells which server and which database this is, and reads no row of an organisation',
  'select b.*, (select system_identifier from pg_control_system())':
    'the same beside a row of the breaker, of which it shows nothing',
  'select asking.organisation, answer.due from unnest($1::text[])':
    'names the organisations that it was given, where a condition needs no row',
  'with tables as ( select c.oid, c.relname::text as name, c.relrowsecurity':
    'the doctor reads which tables the wall holds for; of organisations it counts none',
};

/** Stores whose statements read and write no row of an organisation. */
export const WITHOUT_ROWS: Readonly<Record<string, string>> = {
  'base/jobs/wake.store.ts': 'notifies: the topic names the organisation, and no table is read',
};
