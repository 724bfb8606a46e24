/** Guarantee: the sandbox signs exactly as the specification says, byte for byte. */
import { expect, test } from 'vitest';
import { signatureHeader } from '../../../src/sandbox/webhooks/signer.ts';

// printf '%s' '1795132800.<body>' | openssl dgst -sha512 -hmac whsec_test_3f9c1b7e5a2d4c68
const SECRET = 'whsec_test_3f9c1b7e5a2d4c68';
const SIGNED_AT = 1_795_132_800;

const VECTORS: [string, string | Buffer, string][] = [
  [
    'an event',
    '{"id":"evt_01","type":"alert.created","created_at":"2026-11-20T00:00:00Z","data":{"object":{"id":"netalrt_01","status":"ACTION_REQUIRED"}},"api_version":"v1"}',
    '03932c147aaa904313b90400d7a9ab2840f954c5da242616db3e2da34768f7f63f0c14f032e7e37b13272c1751c2bce11306820fe29a7a6930423def859b835f',
  ],
  [
    'letters outside ASCII and a line feed',
    '{"n":"café €","x":1.0}\n',
    '22d9ae3b98267465e508d0e04ea12689b6cca050b71ab5f76fbd72c428dfe95a0519cbdbd8cd774d941d72d02f045deb14880c89ae3206feab25147b0b4ef4d2',
  ],
  [
    'nothing',
    '',
    'e7050d64788449f5c5b445f4d5b4d7d75b563e284b98d85c2de6ab2c7df2fd6277b5c0a632486c1b5153fbe2746dbe1aedbb49024a2ba19d5c376a5240060514',
  ],
  [
    'bytes that are not UTF-8',
    Buffer.from([0x7b, 0xff, 0x7d]),
    '3a6370ac715a291e0b72fcd1646a4dc3132b1749cb315a83d2474fb2dc33016763431f7c7c9e91f3ac3d0fcdd6647fe8a3790e3b62e918e87f5099b1363363ff',
  ],
];

test.each(VECTORS)('%s', (_title, body, digest) => {
  expect(signatureHeader(SECRET, SIGNED_AT, body)).toBe(`t=1795132800,v1=${digest}`);
});
