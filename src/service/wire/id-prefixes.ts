/** What the service's identifiers begin with, one prefix per concept. */

/** Concept → prefix, the underscore included. */
export const ID_PREFIXES = {
  organisation: 'org_',
  merchant: 'mrch_',
  integration: 'int_',
  enrolment: 'enrl_',
  order: 'ord_',
  alert: 'netalrt_',
  lookup: 'lkup_',
  ruleset: 'rset_',
  rule: 'resrule_',
  event: 'evt_',
  delivery: 'whdl_',
  representment: 'rep_',
  schemeNotice: 'schntc_',
} as const;

/** A concept that has identifiers. */
export type IdConcept = keyof typeof ID_PREFIXES;

/** What a webhook signing secret begins with. The prefix is part of the HMAC key. */
export const SIGNING_SECRET_PREFIX = 'whsec_';

/** What the name of a test organisation begins with. */
export const TEST_ORGANISATION_PREFIX = '[TEST]';
