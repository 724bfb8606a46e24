/**
 * Signatures made by openssl, outside every implementation here, each with its verdict.
 *
 * Every digest is the output of
 *
 *   printf '<t>.<body>' | openssl dgst -sha512 -hmac <secret>
 *
 * with `printf` escapes for bytes beyond ASCII; where the command differs, it stands beside.
 */
import type { Refusal } from '../../src/alerts/receive/signature.ts';

/** The secret in force. */
export const SECRET = 'whsec_test_3f9c1b7e5a2d4c68';
/** The secret it is being replaced with. */
export const NEXT_SECRET = 'whsec_next_8d20e6f1b4974ac3';

/** `printf %s <secret> | sha256sum`, the first 8 characters. */
export const SECRET_ID = '0b4791ca';
export const NEXT_SECRET_ID = '96f7c1fb';

/** 2026-11-20T00:00:00Z (`date -u -d @1795132800`). */
export const SIGNED_AT_SECONDS = 1_795_132_800;

export interface SignatureVector {
  readonly name: string;
  readonly body: Buffer;
  readonly digest: string;
  /** As it stands in the header. @default '1795132800' */
  readonly t?: string;
  readonly verdict: 'accepted' | Refusal;
  /** @default SECRET_ID */
  readonly secretId?: string;
}

const SMALL = Buffer.from('{"id":"evt_02"}');

export const SIGNATURE_VECTORS: readonly SignatureVector[] = [
  {
    name: 'an ordinary event',
    body: Buffer.from(
      '{"id":"evt_01","type":"alert.created","created_at":"2026-11-20T00:00:00Z","data":{"object":{"id":"netalrt_01","status":"ACTION_REQUIRED"}},"api_version":"v1"}',
    ),
    digest:
      '03932c147aaa904313b90400d7a9ab2840f954c5da242616db3e2da34768f7f63f0c14f032e7e37b13272c1751c2bce11306820fe29a7a6930423def859b835f',
    verdict: 'accepted',
  },
  {
    // printf '%s.{"n":"caf\xc3\xa9 \xe2\x82\xac","x":1.0}\n'
    name: 'characters beyond ASCII, a float and a trailing newline',
    body: Buffer.from('{"n":"café €","x":1.0}\n'),
    digest:
      '22d9ae3b98267465e508d0e04ea12689b6cca050b71ab5f76fbd72c428dfe95a0519cbdbd8cd774d941d72d02f045deb14880c89ae3206feab25147b0b4ef4d2',
    verdict: 'accepted',
  },
  {
    name: 'an empty body',
    body: Buffer.alloc(0),
    digest:
      'e7050d64788449f5c5b445f4d5b4d7d75b563e284b98d85c2de6ab2c7df2fd6277b5c0a632486c1b5153fbe2746dbe1aedbb49024a2ba19d5c376a5240060514',
    verdict: 'accepted',
  },
  {
    // printf '%s.\x7b\xff\x7d'
    name: 'bytes that are not UTF-8',
    body: Buffer.from('7bff7d', 'hex'),
    digest:
      '3a6370ac715a291e0b72fcd1646a4dc3132b1749cb315a83d2474fb2dc33016763431f7c7c9e91f3ac3d0fcdd6647fe8a3790e3b62e918e87f5099b1363363ff',
    verdict: 'accepted',
  },
  {
    // printf '%s.\xef\xbb\xbf{"id":"evt_03"}'
    name: 'a byte order mark',
    body: Buffer.from('\ufeff{"id":"evt_03"}'),
    digest:
      '94459244a07e5c8a57b664f1b3046580ff68d433c2a34e49f692f3c78ad36fc735539545529cf0bc7f934b63c8d388516cd444928f2e35afea4b5ffabb53ba11',
    verdict: 'accepted',
  },
  {
    // printf '%s.{"id":"\xfe"}'
    name: 'byte FE, signed',
    body: Buffer.from('7b226964223a22fe227d', 'hex'),
    digest:
      '2b32db229548dfc9b18d8bd1c49c3794c5528b685dfb479324f64494bc01a4e5192a93ac5220291fcd938ce0c05253c0e0feec5d6d1bce7392af32153d5bcb9c',
    verdict: 'accepted',
  },
  {
    name: 'byte FF under the signature of byte FE: both decode to U+FFFD',
    body: Buffer.from('7b226964223a22ff227d', 'hex'),
    digest:
      '2b32db229548dfc9b18d8bd1c49c3794c5528b685dfb479324f64494bc01a4e5192a93ac5220291fcd938ce0c05253c0e0feec5d6d1bce7392af32153d5bcb9c',
    verdict: 'no_match',
  },
  {
    name: 'the present secret, while two are configured',
    body: SMALL,
    digest:
      '3190ecd007b399cf6d7068fc4a6bd89aca7f8a5a014f569e7dcbdd34f06085f6ab4cd848353088daf9426930a80b499a6a8d4e83b7b670c4e798123e5662deca',
    verdict: 'accepted',
  },
  {
    name: 'the next secret, while two are configured',
    body: SMALL,
    digest:
      'dd15640d157a6eacd2d65b2a42474c642da4df5ac41cc1e832f4b55cea15f4ed07eb902ef3ec32635dee0fb175bd77689fd66d1a60161a85fa1adc9b54a4d6f3',
    verdict: 'accepted',
    secretId: NEXT_SECRET_ID,
  },
  {
    name: 'a timestamp with a leading zero, signed as written',
    body: SMALL,
    t: '01795132800',
    digest:
      'b75644aad332e8c4cfff305a96704503d8af6cf5973071073d69e7f19f38eaa7def8343deff84e36050ea8d3b5196b5af23cce31f965083c1bcac12b346aef0b',
    verdict: 'malformed_header',
  },
  {
    // openssl dgst -sha512 -mac HMAC -macopt hexkey:00 (HMAC pads keys with zeros: the empty key)
    name: 'the empty key',
    body: SMALL,
    digest:
      '613f3bb4f05d74788e4252a22b5e33c8bcf24029ebf12ea564b507ac38bc74882375bbc2efe08a4a9644c2d1b4469bac7b3c2a0e0b20f4e20c4e526a1969f468',
    verdict: 'no_match',
  },
  {
    // -hmac undefined
    name: 'the key "undefined"',
    body: SMALL,
    digest:
      '60a7a3a15dddacdeb6dd081ffa4427de5704403859e50798dd6a81691cbdb5c76edf7b9bd9b50d986f6053b0efafb8bb2423478f41835af0896044490fc62fe1',
    verdict: 'no_match',
  },
  {
    // openssl dgst -sha256 -hmac <secret>
    name: 'SHA-256 in place of SHA-512',
    body: SMALL,
    digest: '5d6ad0e282d8c01db2242aa8125adf736788751f0edecfe1aa0360b520460b32',
    verdict: 'bad_hex',
  },
  {
    // -hmac test_3f9c1b7e5a2d4c68
    name: 'the secret without its prefix',
    body: SMALL,
    digest:
      '5137b59f43aab92d40c87967113b9faf4e5f5aeb2cca0b7f75ae211bb3cfdf5019dd109d5840664f764d201e53479d60769047aeca94e56fc3b5c6dd5ed02658',
    verdict: 'no_match',
  },
  {
    // -mac HMAC -macopt hexkey:$(printf 3f9c1b7e5a2d4c68 | base64 -d | xxd -p)
    name: 'the secret decoded as base64',
    body: SMALL,
    digest:
      '9e94e26fd242903f25b8a4f8d595c15ccc3a4f323aba16a83181029d2b5d2ab02fda56f936942035debaa9fe9d7627309c495b16bb8f3614cc51f71498ec2f4f',
    verdict: 'no_match',
  },
  {
    // printf '<t>,<body>'
    name: 'a comma in place of the period',
    body: SMALL,
    digest:
      '419eaaa63cd906746e48559ac4e73ede6e41974ee97bf6eedabcb144a057883a5038abb32399e959e0ddd920f44b8161af950b8c80e36b3d13297f00351ffbb7',
    verdict: 'no_match',
  },
  {
    // printf '<body>'
    name: 'the body without its timestamp',
    body: SMALL,
    digest:
      'e42051d966dd9f3473b885f101c78c7d3da1c8f9331812911ac0af23e816b44b61b5c239fe144477c2435209e4595a31c9625963c0e63473d7d8ee8efc379beb',
    verdict: 'no_match',
  },
];
