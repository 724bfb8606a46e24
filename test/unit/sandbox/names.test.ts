/** Guarantee: in a recording, what the sandbox made up has a name, and what people chose stays as it is. */
import { describe, expect, it } from 'vitest';
import { Names } from '../../../src/sandbox/recording/names.ts';

const ALERT = 'netalrt_0123456789abcdef0123456789';
const ARN = '74537604221431003881865';

describe('names', () => {
  it('are given to ids that an answer brings, and used by later requests', () => {
    const names = new Names();
    const expected = names.ofAnswer({ items: [{ id: ALERT, amount: 5, note: null }] }, 's1');
    expect(expected).toEqual({ items: [{ id: '/^netalrt_/', amount: 5, note: null }] });
    expect(names.filledIn(`/v1/alerts/${ALERT}?x=1`)).toBe(`/v1/alerts/\${s1.items.0.id}?x=1`);
    expect(names.ofRequest({ note: `about ${ALERT}` })).toEqual({
      note: `about \${s1.items.0.id}`,
    });
    expect(names.ofAnswer({ alert_id: ALERT }, 's2')).toEqual({ alert_id: `\${s1.items.0.id}` });
  });

  it('are given to made-up numbers of a transaction, but to none that somebody chose', () => {
    const names = new Names();
    const chosen = names.ofRequest({ acquirer_reference_number: ARN, card_last4: '4242' });
    expect(chosen).toEqual({ acquirer_reference_number: ARN, card_last4: '4242' });
    const fields = {
      transaction_acquirer_reference_number: ARN,
      transaction_authorisation_code: 'A1B2C3',
      transaction_card_last4: '4242',
      order_number: '100017',
    };
    expect(names.ofAnswer(fields, 's1')).toEqual({
      ...fields,
      transaction_authorisation_code: '/^\\w{6}$/',
    });
    expect(names.ofRequest({ code: 'A1B2C3' })).toEqual({
      code: `\${s1.transaction_authorisation_code}`,
    });
  });

  it('leave moments open, except those that somebody chose', () => {
    const names = new Names();
    names.ofRequest({ authorised_at: '2026-11-19T00:00:00Z' });
    expect(
      names.ofAnswer(
        { authorised_at: '2026-11-19T00:00:00Z', at: '2026-11-20T00:00:00.000Z' },
        's1',
      ),
    ).toEqual({ authorised_at: '2026-11-19T00:00:00Z', at: '/^\\d{4}-\\d\\d-\\d\\dT/' });
  });

  it('are distinguished from text that looks like one', () => {
    expect(new Names().filledIn(`\${s1.id} and \${`)).toBe(`$\${s1.id} and \${`);
  });
});
