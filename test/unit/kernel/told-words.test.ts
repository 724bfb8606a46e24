/**
 * Guarantee: words of another system are kept without card numbers, e-mail addresses and secrets, however they are written,
 * and whatever names a charge, an order or a failure stays as it is.
 */
import { describe, expect, it } from 'vitest';
import { toldBody, toldWords, withoutSecrets } from '../../../src/base/kernel/told-words.ts';

describe('what goes', () => {
  it.each([
    ['card 4242 4242 4242 4242 declined', 'card 424242******4242 declined'],
    ['no customer ada.lovelace+1@mail.example', 'no customer [e-mail address]'],
    ['<ada@mail.example>: rejected', '<[e-mail address]>: rejected'],
    ['?email=ada%40mail.example&x=1', '[e-mail address]&x=1'],
    ['{"a":"ada\\u0040mail.example"}', '{"a":"[e-mail address]"}'],
    ['für jörg@müller.example.', 'für [e-mail address].'],
    ['ada@[192.0.2.1] unknown', '[e-mail address] unknown'],
    ['a@b.example,c@d.example', '[e-mail address],[e-mail address]'],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer [secret]'],
    ['basic dXNlcjpwYXNz', 'basic [secret]'],
    ['api_key=0123456789', 'api_key=[secret]'],
    ['"client_secret": "hunter2hunter2"', '"client_secret": "[secret]"'],
    ['Invalid API key: sk_test_51Habcdefghijklm', 'Invalid API key: [secret]'],
    ['key whsec_0123456789abcdef is old', 'key [secret] is old'],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'jwt [secret]'],
    ['postgres://user:pass@host/db', 'postgres://[secret]@host/db'],
    ['token was Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7jKl0n', 'token was [secret]'],
  ])('%s', (said, expected) => {
    expect(toldWords(said)).toBe(expected);
  });
});

describe('what stays', () => {
  it.each([
    ['charge_already_refunded'],
    ['No such charge: ch_3MmlLrLkdIwHu7ix0snN0B15'],
    ['HTTP 402 insufficient_funds (retry)'],
    ['key 3f1c2a9e-77aa-4c0b-9f53-0b7f6f1f2a11 used'],
    ['idempotency 9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de'],
    ['at 2026-11-20T12:00:00.000Z for 49.00 EUR'],
    ['follow us @shop'],
    ['ARN 74208326154000000012345'],
    ['https://docs.example/errors#rate-limits'],
    [''],
  ])('%s', (said) => {
    expect(toldWords(said)).toBe(said);
  });
});

describe('bodies', () => {
  it('are told text by text, names of fields too, and what they are about stays', () => {
    const body = {
      errors: [
        { code: 'X', message: 'ada@mail.example', reference_id: 'ada@mail.example', index: 3 },
      ],
      'ada@mail.example': null,
    };
    expect(toldBody(body)).toEqual({
      errors: [
        { code: 'X', message: '[e-mail address]', reference_id: 'ada@mail.example', index: 3 },
      ],
      '[e-mail address]': null,
    });
  });

  it('that hold nothing of the kind are the same object', () => {
    const body = { errors: [{ code: 'X', message: 'no', index: 3 }] };
    expect(toldBody(body)).toBe(body);
  });

  it('that are deeper than anything said ends within bounds', () => {
    let deep: unknown = 'ada@mail.example';
    for (let depth = 0; depth < 40; depth += 1) deep = [deep];
    expect(JSON.stringify(toldBody(deep))).not.toContain('ada');
  });

  it('lose the key that was sent, where it stands', () => {
    expect(toldBody({ id: 'key-0123456789 is old' }, ['key-0123456789'])).toEqual({
      id: '[secret] is old',
    });
    expect(withoutSecrets('a short one stays', ['short'])).toBe('a short one stays');
  });
});

it('a quarter of a megabyte of signs, dots or colons is read in time that grows with it alone', () => {
  for (const part of ['@', 'a@', 'a.', 'token=', 'Bearer ', '://a:', 'eyJa', 'sk_', 'aA1-']) {
    const cpu = process.cpuUsage();
    toldWords(part.repeat(Math.ceil(250_000 / part.length)));
    const { user } = process.cpuUsage(cpu);
    // In microseconds; a quadratic reading takes minutes.
    expect(user, part).toBeLessThan(1_000_000);
  }
});
