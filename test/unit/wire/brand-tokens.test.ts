/** Guarantee: brands change at the wire only, in named values, keys and codes, and never in text. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { createBrandTokens, parseBrandTokens } from '../../../src/service/wire/brand-tokens.ts';
import { ERROR_CODE_NAMES } from '../../../src/service/wire/error-codes.ts';

const map = parseBrandTokens('NETA=FIRSTNET, NETB=SECONDNET ,SCHEME_A=REDCARD,SCHEME_B=BLUECARD');
const tokens = createBrandTokens(map);

describe('parseBrandTokens', () => {
  test('reads every token, and keeps the neutral name of those left out', () => {
    expect(map).toEqual({
      NETA: 'FIRSTNET',
      NETB: 'SECONDNET',
      SCHEME_A: 'REDCARD',
      SCHEME_B: 'BLUECARD',
    });
    expect(parseBrandTokens('NETB=SECONDNET').NETA).toBe('NETA');
    expect(parseBrandTokens('').SCHEME_B).toBe('SCHEME_B');
  });

  test.each([
    ['an unknown token', 'NETC=X'],
    ['no value', 'NETA='],
    ['no equals sign', 'NETA'],
    ['two equals signs', 'NETA=A=B'],
    ['lower case', 'NETA=firstnet'],
    ['a space inside', 'NETA=FIRST NET'],
    ['a dangling underscore', 'NETA=FIRST_'],
    ['a repeat', 'NETA=A,NETA=B'],
    ['two networks of one name', 'NETA=SAME,NETB=SAME'],
    ['a network that begins like the other', 'NETA=NET,NETB=NET_B'],
    ['two schemes of one name', 'SCHEME_A=SAME,SCHEME_B=SAME'],
  ])('refuses %s', (_case, setting) => {
    expect(() => parseBrandTokens(setting)).toThrow(ConfigError);
  });
});

describe('createBrandTokens', () => {
  test('the default map returns the very same object', () => {
    const identity = createBrandTokens();
    const body = { type: 'NETA_ALERT', neta_alert: {} };
    expect(identity.isIdentity).toBe(true);
    expect(identity.toWire(body)).toBe(body);
    expect(identity.fromWire(body)).toBe(body);
    expect(identity.codeFromWire('MISSING_NETA_ALERT_CONFIG')).toBe('MISSING_NETA_ALERT_CONFIG');
  });

  test('translates values and keys of an enrolment, both ways', () => {
    const ours = {
      merchant_ids: ['mrch_1'],
      type: 'NETA_ALERT',
      neta_alert: { descriptors: [{ descriptor: 'NETA_ALERT', match_type: 'EXACT_MATCH' }] },
    };
    const theirs = {
      merchant_ids: ['mrch_1'],
      type: 'FIRSTNET_ALERT',
      firstnet_alert: { descriptors: [{ descriptor: 'NETA_ALERT', match_type: 'EXACT_MATCH' }] },
    };
    expect(tokens.toWire(ours)).toEqual(theirs);
    expect(tokens.fromWire(theirs)).toEqual(ours);
  });

  test('translates every value the specification names with a token', () => {
    expect(
      tokens.fromWire({
        enrolment_type: 'SECONDNET_RDR',
        transaction_card_scheme: 'BLUECARD',
        dispute_schema: 'REDCARD',
        scheme: 'OTHER',
        items: [
          { type: 'SECONDNET_COMPELLING_EVIDENCE_3' },
          { type: 'FIRSTNET_CONSUMER_CLARITY' },
          { type: 'FIRSTNET_FIRST_PARTY_TRUST' },
          { type: 'SECONDNET_ORDER_INSIGHT' },
          { payment_method_card_brand: 'BLUECARD', card_brand: 'REDCARD' },
        ],
        secondnet_rdr: { bin: '411111', caid: 'C1', arns: null },
      }),
    ).toEqual({
      enrolment_type: 'NETB_RDR',
      transaction_card_scheme: 'SCHEME_B',
      dispute_schema: 'SCHEME_A',
      scheme: 'OTHER',
      items: [
        { type: 'NETB_COMPELLING_EVIDENCE_3' },
        { type: 'NETA_CONSUMER_CLARITY' },
        { type: 'NETA_FIRST_PARTY_TRUST' },
        { type: 'NETB_ORDER_INSIGHT' },
        { payment_method_card_brand: 'SCHEME_B', card_brand: 'SCHEME_A' },
      ],
      netb_rdr: { bin: '411111', caid: 'C1', arns: null },
    });
  });

  test('translates the code and the field path of an error, not its message', () => {
    expect(
      tokens.fromWire({
        errors: [
          {
            code: 'MISSING_FIRSTNET_ALERT_CONFIG',
            message: 'firstnet_alert is required for FIRSTNET_ALERT',
            field: 'firstnet_alert.descriptors',
          },
        ],
      }),
    ).toEqual({
      errors: [
        {
          code: 'MISSING_NETA_ALERT_CONFIG',
          message: 'firstnet_alert is required for FIRSTNET_ALERT',
          field: 'neta_alert.descriptors',
        },
      ],
    });
  });

  test('free text, names, descriptors and free-form members stay as written', () => {
    const text = {
      note: 'FIRSTNET_ALERT',
      transaction_statement_descriptor: 'BLUECARD',
      merchant_name: 'REDCARD',
      fraud_type: 'SECONDNET_RDR',
      descriptors: [{ value: 'FIRSTNET_ALERT', match_type: 'STARTS_WITH' }],
      order_communications: [{ type: 'FIRSTNET_ALERT', scheme: 'REDCARD' }],
      order_proof_of_consent: { code: 'MISSING_FIRSTNET_ALERT_CONFIG' },
    };
    expect(tokens.fromWire(text)).toEqual(text);
    const ours = JSON.parse(
      JSON.stringify(text).replaceAll('FIRSTNET', 'NETA').replaceAll('REDCARD', 'SCHEME_A'),
    );
    expect(tokens.toWire(ours)).toEqual(ours);
  });

  test('a value is translated as a whole token only', () => {
    expect(tokens.fromWire({ type: 'FIRSTNETWORK_ALERT' })).toEqual({ type: 'FIRSTNETWORK_ALERT' });
    expect(tokens.fromWire({ type: 'alert.created' })).toEqual({ type: 'alert.created' });
    expect(tokens.fromWire({ scheme: 'BLUECARD_DEBIT' })).toEqual({ scheme: 'BLUECARD_DEBIT' });
    expect(tokens.codeFromWire('XFIRSTNET_ERROR')).toBe('XFIRSTNET_ERROR');
  });

  test('query values are translated by the name of their parameter', () => {
    expect(tokens.valueToWire('type', 'NETB_RDR')).toBe('SECONDNET_RDR');
    expect(tokens.valueToWire('name', 'NETB_RDR')).toBe('NETB_RDR');
  });

  test('a key __proto__ stays an own member', () => {
    const out = tokens.fromWire(JSON.parse('{"__proto__":{"type":"FIRSTNET_ALERT"}}')) as object;
    expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
    expect(JSON.stringify(out)).toBe('{"__proto__":{"type":"NETA_ALERT"}}');
  });

  test('every error code goes out and comes back', () => {
    expect(tokens.codeToWire('NETB_RDR_ENROLLMENT_ERROR')).toBe('SECONDNET_RDR_ENROLLMENT_ERROR');
    for (const code of ERROR_CODE_NAMES) {
      const wire = tokens.codeToWire(code);
      expect(wire).not.toMatch(/NETA|NETB/);
      expect(tokens.codeFromWire(wire)).toBe(code);
    }
  });

  test('any JSON without real identifiers in it goes out and comes back', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        fc.constantFrom('NETA_ALERT', 'NETB_RDR', 'SCHEME_A', 'SCHEME_B', 'OTHER'),
        (rest, value) => {
          const body = { rest, type: value, scheme: value, neta_alert: [value], note: value };
          expect(tokens.fromWire(tokens.toWire(body))).toEqual(body);
        },
      ),
    );
  });
});
