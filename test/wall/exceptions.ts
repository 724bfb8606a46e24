/** What the comparison of `main.ts` leaves out, each with its reason. */

/** Statements that show something to nobody, by the beginning of their text without its spaces. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'select (select system_identifier from pg_control_system())':
    'tells which server and which database this is, and reads no row of an organisation',
};

/** Stores that ask nothing themselves: parts of statements of others. */
export const STATEMENTS_ELSEWHERE: Readonly<Record<string, string>> = {};
