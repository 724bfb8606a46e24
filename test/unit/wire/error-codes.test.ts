/** Guarantee: every error code of the specification is known, with its status and what to do. */
import { expect, test } from 'vitest';
import {
  ERROR_CODE_NAMES,
  ERROR_CODES,
  errorCodeFacts,
  isErrorCode,
} from '../../../src/service/wire/error-codes.ts';

/** Section Errors of the specification, row by row. */
const SPECIFIED: Record<string, number | null> = {
  UNAUTHORISED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  MERCHANT_TYPE_CHANGE_RESTRICTED: 422,
  MERCHANT_DELETION_RESTRICTED: 422,
  INVALID_MERCHANT_TYPE: 422,
  INVALID_REPRESENTMENT_SERVICE_TYPE: 422,
  MERCHANTS_DIFFERENT_ORGANISATIONS: 422,
  DUPLICATE_MERCHANT_IDS: 422,
  MISSING_NETA_ALERT_CONFIG: 422,
  MISSING_NETB_RDR_CONFIG: 422,
  INVALID_MATCH_TYPE: 422,
  INVALID_NETB_RDR_CONFIG: 422,
  NETA_ALERT_ENROLLMENT_ERROR: 422,
  NETB_RDR_ENROLLMENT_ERROR: 422,
  ENROLMENT_NOT_PENDING: 422,
  ENROLMENT_TYPE_NOT_SUPPORTED: 422,
  ENROLMENT_STATUS_NOT_APPENDABLE: 422,
  DUPLICATE_DESCRIPTOR: 422,
  INVALID_ACTION: 422,
  SIMULATION_NOT_ALLOWED: 422,
  RATE_LIMITED: 429,
  DUPLICATE_ORDER: null,
  DUPLICATE_REFERENCE_ID: null,
  DUPLICATE_ITEM: null,
  INVALID_ORDER_TYPE: null,
  INVALID_INTEGRATION: null,
  ENRICHMENT_NOT_ENABLED: null,
  MISSING_FIELD: null,
};

test.each(Object.entries(SPECIFIED))('%s is answered with %s', (code, httpStatus) => {
  expect(errorCodeFacts(code)?.httpStatus).toBe(httpStatus);
});

test('beyond the specified ones there are only the two whose status is not shown', () => {
  const extra = ERROR_CODE_NAMES.filter((code) => !(code in SPECIFIED));
  expect(extra).toEqual(['INVALID_CURRENCY_CODE', 'RULES_NOT_ALLOWED_ON_RULESET_UPDATE']);
});

test('only the rate limit passes by itself', () => {
  expect(ERROR_CODE_NAMES.filter((code) => ERROR_CODES[code].retryable)).toEqual(['RATE_LIMITED']);
});

test('VALIDATION_* is one family; anything else is unknown', () => {
  expect(errorCodeFacts('VALIDATION_INVALID_TYPE')).toMatchObject({ httpStatus: 422 });
  expect(errorCodeFacts('TEAPOT')).toBeUndefined();
  expect(errorCodeFacts('toString')).toBeUndefined();
  expect(isErrorCode('constructor')).toBe(false);
});

test('every text is a sentence a person can act on', () => {
  for (const code of ERROR_CODE_NAMES) {
    expect(ERROR_CODES[code].operatorText).toMatch(/^[A-Z].{15,}\.$/);
  }
});
