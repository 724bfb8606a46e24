/** Guarantee: a body reaches the inbox only if the holder of the secret signed it, recently. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createVerifier,
  signatureHeaders,
  signDelivery,
} from '../../../src/alerts/receive/signature.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import {
  NEXT_SECRET,
  NEXT_SECRET_ID,
  SECRET,
  SECRET_ID,
  SIGNATURE_VECTORS,
  SIGNED_AT_SECONDS,
} from '../../vectors/signature-vectors.ts';

const [ORDINARY] = SIGNATURE_VECTORS;
const BODY = ORDINARY!.body;
const DIGEST = ORDINARY!.digest;
const T = String(SIGNED_AT_SECONDS);
const HEADER = `t=${T},v1=${DIGEST}`;
const clock = createFixedClock(SIGNED_AT_SECONDS * 1_000);
const verifier = createVerifier({ secrets: [SECRET], clock });

function outcomeOf(
  header: string | readonly string[] | undefined,
  body: Uint8Array = BODY,
): string {
  const verdict = verifier.verify(header, body);
  return verdict.ok ? 'accepted' : verdict.reason;
}

describe('vectors made by openssl', () => {
  const both = createVerifier({ secrets: [NEXT_SECRET, SECRET], clock });
  it.each(SIGNATURE_VECTORS)('$name: $verdict', ({ body, digest, t = T, verdict, secretId }) => {
    const result = both.verify(`t=${t},v1=${digest}`, body);
    expect(result).toMatchObject(
      verdict === 'accepted'
        ? { ok: true, secretId: secretId ?? SECRET_ID, signedAtSeconds: SIGNED_AT_SECONDS }
        : { ok: false, reason: verdict },
    );
  });

  it('signs as openssl does', () => {
    expect(signDelivery(SECRET, BODY, SIGNED_AT_SECONDS)).toBe(HEADER);
  });

  it('refuses the next secret until it is configured, and the old one once it is removed', () => {
    const rotated = SIGNATURE_VECTORS.find(({ secretId }) => secretId === NEXT_SECRET_ID)!;
    const header = `t=${T},v1=${rotated.digest}`;
    expect(outcomeOf(header, rotated.body)).toBe('no_match');
    const after = createVerifier({ secrets: [NEXT_SECRET], clock });
    expect(after.verify(header, rotated.body)).toMatchObject({ ok: true });
    expect(after.verify(HEADER, BODY)).toMatchObject({ ok: false, reason: 'no_match' });
  });
});

describe('the timestamp', () => {
  it.each([
    [-301, 'too_new'],
    [-300, 'accepted'],
    [-299, 'accepted'],
    [299, 'accepted'],
    [300, 'accepted'],
    [301, 'too_old'],
  ])('%i s after signing: %s', (ageSeconds, expected) => {
    const later = createFixedClock((SIGNED_AT_SECONDS + ageSeconds) * 1_000);
    const verdict = createVerifier({ secrets: [SECRET], clock: later }).verify(HEADER, BODY);
    expect(verdict.ok ? 'accepted' : verdict.reason).toBe(expected);
  });

  it('counts whole seconds: 300.999 s are 300 s', () => {
    const later = createFixedClock(SIGNED_AT_SECONDS * 1_000 + 300_999);
    expect(createVerifier({ secrets: [SECRET], clock: later }).verify(HEADER, BODY).ok).toBe(true);
  });

  it('tells stale but authentic apart from forged', () => {
    const later = createFixedClock((SIGNED_AT_SECONDS + 4_000) * 1_000);
    const stale = createVerifier({ secrets: [SECRET], clock: later });
    expect(stale.verify(HEADER, BODY)).toEqual({
      ok: false,
      authentic: true,
      reason: 'too_old',
      secretId: SECRET_ID,
      signedAtSeconds: SIGNED_AT_SECONDS,
      ageSeconds: 4_000,
    });
    expect(stale.verify(HEADER, Buffer.from('{}'))).toEqual({
      ok: false,
      authentic: false,
      reason: 'no_match',
    });
  });

  it('takes another tolerance', () => {
    const later = createFixedClock((SIGNED_AT_SECONDS + 61) * 1_000);
    const strict = createVerifier({ secrets: [SECRET], clock: later, toleranceSeconds: 60 });
    expect(strict.verify(HEADER, BODY)).toMatchObject({ ok: false, reason: 'too_old' });
  });
});

describe('the header', () => {
  const other = 'a'.repeat(128);
  it.each<[string, string | readonly string[] | undefined, string]>([
    ['absent', undefined, 'missing_header'],
    ['no values', [], 'missing_header'],
    ['empty', '', 'missing_header'],
    ['two headers', [HEADER, HEADER], 'malformed_header'],
    ['two headers, joined as Node does', `${HEADER}, ${HEADER}`, 'malformed_header'],
    ['only t', `t=${T}`, 'malformed_header'],
    ['only v1', `v1=${DIGEST}`, 'malformed_header'],
    ['t twice', `t=${T},t=${T},v1=${DIGEST}`, 'malformed_header'],
    ['another t first', `t=1,t=${T},v1=${DIGEST}`, 'malformed_header'],
    ['v1 before t', `v1=${DIGEST},t=${T}`, 'malformed_header'],
    ['v1 twice, second valid', `t=${T},v1=${other},v1=${DIGEST}`, 'accepted'],
    ['v1 twice, first valid', `t=${T},v1=${DIGEST},v1=${other}`, 'accepted'],
    ['five v1, last valid', `t=${T}${`,v1=${other}`.repeat(4)},v1=${DIGEST}`, 'accepted'],
    ['six v1, last valid', `t=${T}${`,v1=${other}`.repeat(5)},v1=${DIGEST}`, 'malformed_header'],
    ['v0 only', `t=${T},v0=${DIGEST}`, 'malformed_header'],
    ['v2 only', `t=${T},v2=${DIGEST}`, 'malformed_header'],
    ['v2 beside a valid v1', `t=${T},v1=${DIGEST},v2=${DIGEST}`, 'malformed_header'],
    ['upper-case hex', `t=${T},v1=${DIGEST.toUpperCase()}`, 'bad_hex'],
    ['one upper-case digit', `t=${T},v1=${DIGEST.replace('c', 'C')}`, 'bad_hex'],
    ['empty v1', `t=${T},v1=`, 'bad_hex'],
    ['127 digits', `t=${T},v1=${DIGEST.slice(0, 127)}`, 'bad_hex'],
    ['129 digits', `t=${T},v1=${DIGEST}0`, 'bad_hex'],
    ['128 digits and zz', `t=${T},v1=${DIGEST}zz`, 'bad_hex'],
    ['126 digits and zz', `t=${T},v1=${DIGEST.slice(0, 126)}zz`, 'bad_hex'],
    ['a valid and a broken v1', `t=${T},v1=${DIGEST},v1=zz`, 'bad_hex'],
    ['t with letters', `t=${T}abc,v1=${DIGEST}`, 'malformed_header'],
    ['t with a plus sign', `t=+${T},v1=${DIGEST}`, 'malformed_header'],
    ['t as a float', `t=1.795e9,v1=${DIGEST}`, 'malformed_header'],
    ['t in hexadecimal', `t=0x6aff1d80,v1=${DIGEST}`, 'malformed_header'],
    ['t after a space', `t= ${T},v1=${DIGEST}`, 'malformed_header'],
    ['t in full-width digits', `t=１７９５１３２８００,v1=${DIGEST}`, 'malformed_header'],
    ['t negative', `t=-${T},v1=${DIGEST}`, 'malformed_header'],
    ['t empty', `t=,v1=${DIGEST}`, 'malformed_header'],
    ['t NaN', `t=NaN,v1=${DIGEST}`, 'malformed_header'],
    ['t of 20 digits', `t=${'1'.repeat(20)},v1=${DIGEST}`, 'malformed_header'],
    ['t with a leading zero', `t=0${T},v1=${DIGEST}`, 'malformed_header'],
    ['t in milliseconds', `t=${T}000,v1=${DIGEST}`, 'malformed_header'],
    ['a space before', ` ${HEADER}`, 'malformed_header'],
    ['a newline after', `${HEADER}\n`, 'bad_hex'],
    ['a trailing comma', `${HEADER},`, 'malformed_header'],
    ['1,024 characters of the right form', `t=${T},v1=`.padEnd(1_024, '0'), 'bad_hex'],
    [
      '1,025 characters',
      `t=${T}${`,v1=${other}`.repeat(5)}`.padEnd(1_025, '0'),
      'malformed_header',
    ],
  ])('%s: %s', (_name, header, expected) => {
    expect(outcomeOf(header)).toBe(expected);
  });

  it('reads every value from rawHeaders, whatever the case of the name', () => {
    expect(signatureHeaders(['Host', 'x', 'X-Signature', 'a', 'x-signature', 'b'])).toEqual([
      'a',
      'b',
    ]);
    expect(signatureHeaders(['X-Signature'])).toEqual([]);
    expect(signatureHeaders(['__proto__', 'x', 'X-Signature2', 'y', 'X-Signatura', 'z'])).toEqual(
      [],
    );
  });
});

describe('properties', () => {
  const anyBytes = fc.uint8Array({ maxLength: 300 });
  const anySecret = fc.stringMatching(/^[!-~]{16,64}$/);

  it('what the secret signed is accepted; any other secret refuses it', () => {
    fc.assert(
      fc.property(anySecret, anySecret, anyBytes, (secret, stranger, body) => {
        const header = signDelivery(secret, body, SIGNED_AT_SECONDS);
        const own = createVerifier({ secrets: [secret], clock });
        const other = createVerifier({ secrets: [stranger], clock });
        expect(own.verify(header, body).ok).toBe(true);
        expect(other.verify(header, body).ok).toBe(secret === stranger);
      }),
    );
  });

  it('no text whatever is accepted as a header', () => {
    const soup = fc.array(
      fc.oneof(
        fc.constantFrom('t=', ',v1=', T, DIGEST, DIGEST.slice(1), ',', '=', 'v1', ' ', '0'),
        fc.string({ maxLength: 5 }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(soup, (parts) => {
        const header = parts.join('');
        const valid = /^t=1795132800(,v1=[0-9a-f]{128})*$/.test(header) && header.includes(DIGEST);
        fc.pre(!valid);
        expect(outcomeOf(header)).not.toBe('accepted');
      }),
      { numRuns: 2_000 },
    );
  });

  it('200,000 random single edits of header or body: none accepted', () => {
    const accepted: string[] = [];
    const random = seededRandom(20_261_120);
    for (let run = 0; run < 200_000; run++) {
      const edited = run % 2 === 0 ? editText(HEADER, random) : HEADER;
      const body = run % 2 === 0 ? BODY : editBytes(BODY, random);
      if (edited === HEADER && body.equals(BODY)) continue;
      if (verifier.verify(edited, body).ok) accepted.push(`${edited} | ${body.toString('hex')}`);
    }
    expect(accepted).toEqual([]);
  });
});

describe('will not start with', () => {
  const short = (place: number) =>
    `Webhook signing secret number ${place} has fewer than 16 characters. Copy the whole secret, "whsec_" included.`;
  const spaced =
    'Webhook signing secret number 1 contains white space. Copy it again without line breaks.';
  it.each<[string, readonly string[], string]>([
    ['no secret', [], 'A webhook signing secret is missing. Set FORESTALL_WEBHOOK_SECRETS.'],
    ['an empty secret', [''], short(1)],
    ['one of 15 characters', ['whsec_123456789'], short(1)],
    ['white space inside', ['whsec_test 3f9c1b7e5a2d4c68'], spaced],
    ['a trailing newline', [`${SECRET}\n`], spaced],
    [
      'the same secret twice',
      [SECRET, SECRET],
      'Webhook signing secret number 2 is given twice. Remove one of the two.',
    ],
    [
      'four secrets',
      [1, 2, 3, 4].map((number) => `${SECRET}${number}`),
      'There are 4 webhook signing secrets; at most 3 work at once. Remove the oldest.',
    ],
    ['a good and an empty secret', [SECRET, ''], short(2)],
    ['a good and a short secret, whose value is not told', [SECRET, 'whsec_short'], short(2)],
  ])('%s', (_name, secrets, message) => {
    expect(() => createVerifier({ secrets, clock })).toThrow(new ConfigError(message));
  });

  it.each([0, 59, 901, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'a tolerance of %d s',
    (seconds) => {
      expect(() => createVerifier({ secrets: [SECRET], clock, toleranceSeconds: seconds })).toThrow(
        new ConfigError(
          'The signature tolerance must be a whole number of seconds from 60 to 900.',
        ),
      );
    },
  );

  it('three secrets and the edges of the tolerance are fine', () => {
    const secrets = [1, 2, 3].map((number) => `${SECRET}${number}`);
    for (const toleranceSeconds of [60, 900]) {
      const { secretIds } = createVerifier({ secrets, clock, toleranceSeconds });
      // openssl dgst -sha256, first 8 digits
      expect(secretIds).toEqual(['5407d0c5', '1fd5fbdd', '9be8f552']);
    }
  });
});

/** Mulberry32: small, and the same edits on every run. */
function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

function editText(text: string, random: (below: number) => number): string {
  const at = random(text.length);
  const character = String.fromCharCode(32 + random(95));
  return [
    () => text.slice(0, at) + character + text.slice(at + 1),
    () => text.slice(0, at) + character + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1),
  ][random(3)]!();
}

function editBytes(bytes: Buffer, random: (below: number) => number): Buffer {
  const at = random(bytes.length);
  const byte = Buffer.from([random(256)]);
  return [
    () => Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at + 1)]),
    () => Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
  ][random(3)]!();
}
