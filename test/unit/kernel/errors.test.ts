/** Guarantee: why something was not reached is told without the names and addresses that were asked for. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { codeOf, reasonOf } from '../../../src/base/kernel/errors.ts';
import { serialiseError } from '../../../src/base/kernel/log.ts';

const HOST = 'canary.example';

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

it.each([
  [
    'a name of the database',
    coded(`database "${HOST}" does not exist`, '3D000'),
    'database "…" does not exist (3D000)',
  ],
  [
    'a certificate for another host',
    coded(
      `Host: ${HOST}. is not in the cert's altnames: DNS:other.example`,
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ),
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  [
    'a certificate that nobody vouches for',
    coded('unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    'unable to verify the first certificate (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
  ],
  ['several addresses, none of which answers', coded('', 'ECONNREFUSED'), 'ECONNREFUSED'],
  [
    'no code at all',
    new Error('timeout exceeded when trying to connect'),
    'timeout exceeded when trying to connect',
  ],
  ['what is no error', 'no', 'no'],
])('%s', (_what, error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});

it('an address where nobody listens, as the system tells it', async () => {
  const socket = connect(9, '127.0.0.1');
  const [error] = await once(socket, 'error').catch((reason: unknown) => [reason]);
  expect(String(error)).toContain('127.0.0.1:9');
  expect([codeOf(error), reasonOf(error)]).toEqual(['ECONNREFUSED', 'ECONNREFUSED (connect)']);
  expect(serialiseError(error)).toEqual({
    type: 'Error',
    code: 'ECONNREFUSED',
    message: 'ECONNREFUSED (connect)',
  });
});
