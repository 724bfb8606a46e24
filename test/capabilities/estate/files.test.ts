/** Guarantee: what is wrong with an estate file is said with file, line, column and the word that was meant. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { EstateFileError, estateJsonSchema } from '../../../src/capabilities/estate/plan/estate.ts';
import { planEstate } from '../../../src/capabilities/estate/plan/plan.ts';
import { readEstate, readSources } from '../../../src/capabilities/estate/plan/read-estate.ts';

function problemsOf(text: string, variables: Record<string, string> = {}): string[] {
  try {
    readSources({ path: 'estate.yaml', text }, [], variables);
    return [];
  } catch (error) {
    if (!(error instanceof EstateFileError)) throw error;
    return error.message.split('\n');
  }
}

/** How a file names a variable. */
const variable = (name: string): string => `'\${${name}}'`;

const HEAD = 'organisation: org_1\nmerchants:\n  - { key: eu, name: Europe, type: GENERIC }\n';

describe('a file of the estate', () => {
  it('is read with its variables', () => {
    const { estate, variables } = readSources(
      { path: 'estate.yaml', text: HEAD.replace('org_1', variable('ORG')) },
      [],
      { ORG: 'org_9' },
    );
    expect(estate.organisation).toBe('org_9');
    expect([...variables]).toEqual([['ORG', 'org_9']]);
  });

  it('is joined from several', () => {
    const { estate } = readSources(
      { path: 'estate.yaml', text: HEAD },
      [{ path: 'more.yaml', text: 'merchants: [{ key: us, name: America, type: GENERIC }]' }],
      {},
    );
    expect(estate.merchants.map(({ key, at }) => `${key} ${at.file}`)).toEqual([
      'eu estate.yaml',
      'us more.yaml',
    ]);
  });

  it.each([
    [
      'an unknown key',
      `${HEAD}enrolment: []\n`,
      'estate.yaml:4:1: "enrolment" is not known here. Did you mean "enrolments"?',
    ],
    [
      'an unknown key below',
      HEAD.replace('name:', 'nmae:'),
      'estate.yaml:3:16: "nmae" is not known here. Did you mean "name"?',
    ],
    [
      'a key of the other programme',
      `${HEAD}enrolments:\n  - { key: a, type: NETA_ALERT, merchants: [eu], bin: '400000', descriptors: [{ descriptor: A, match_type: EXACT_MATCH }] }\n`,
      'estate.yaml:5:50: "bin" is not known here. Known: key, id, type, merchants, descriptors.',
    ],
    [
      'a wrong key of a descriptor',
      `${HEAD}enrolments:\n  - { key: a, type: NETA_ALERT, merchants: [eu], descriptors: [{ descriptor: A, mach_type: X, match_type: EXACT_MATCH }] }\n`,
      'estate.yaml:5:81: "mach_type" is not known here. Did you mean "match_type"?',
    ],
    [
      'a wrong key of an amount',
      `${HEAD}rulesets:\n  - { key: a, enrolments: [x], outcome: REFUND, amount: { operator: EQUAL, valeu: 1, value: 1.00 USD } }\n`,
      'estate.yaml:5:76: "valeu" is not known here. Did you mean "value"?',
    ],
    [
      'a wrong word',
      `${HEAD}rulesets:\n  - { key: a, enrolments: [x], outcome: ACCEPT_DISPUTES }\n`,
      'estate.yaml:5:41: outcome must be one of REFUND, CANCEL, REFUND_AND_CANCEL, ACCEPT_DISPUTE. Did you mean "ACCEPT_DISPUTE"?',
    ],
    [
      'a type that the interface does not create',
      `${HEAD}enrolments:\n  - { key: a, type: NETB_RDRR, merchants: [eu] }\n`,
      'estate.yaml:5:21: type must be NETA_ALERT or NETB_RDR. Did you mean "NETB_RDR"?',
    ],
    [
      'a key that nothing has',
      `${HEAD}enrolments:\n  - { key: a, type: NETB_RDR, merchants: [ue], bin: '4', caid: '5' }\n`,
      'estate.yaml:5:5: no merchant has the key "ue". Did you mean "eu"?',
    ],
    [
      'half of a pair',
      `${HEAD}enrolments:\n  - { key: a, type: NETB_RDR, merchants: [eu], bin: '4' }\n`,
      'estate.yaml:5:5: enrolment "a" needs bin together with caid, or arns alone. The service refuses every other combination.',
    ],
    [
      'a variable that is not set',
      HEAD.replace('Europe', variable('NAME')),
      'estate.yaml:3:22: the variable NAME is not set. Set it, or write the value.',
    ],
    [
      'a key that is used twice',
      `${HEAD}  - { key: eu, name: Other, type: GENERIC }\n`,
      'estate.yaml:4:5: the key "eu" is used twice in merchants; first in estate.yaml:3. Keep one.',
    ],
    ['no YAML', 'organisation: [', 'estate.yaml:1:16: this is no YAML'],
  ])('says where there is %s', (_what, text, expected) => {
    expect(problemsOf(text).join('\n')).toContain(expected);
  });

  it('takes amounts in dollars only: the service converts', () => {
    const rule = 'amount: { operator: LESS_THAN, value: 10.00 EUR }';
    const text = `${HEAD}rulesets:\n  - { key: a, enrolments: [x], outcome: REFUND, ${rule} }\n`;
    expect(problemsOf(text)[0]).toContain('value: must be an amount in USD');
  });
});

describe('the templates', () => {
  const folder = new URL('../../../templates/estate/', import.meta.url);
  const variables = { FORESTALL_ORGANISATION_ID: 'org_1', TRAVEL_ORGANISATION_ID: 'org_2' };

  it.each(['one-shop', 'two-brands', 'partner'])('%s is an estate', async (name) => {
    const { estate } = await readEstate(new URL(`${name}.yaml`, folder).pathname, variables);
    expect(estate.merchants.length).toBeGreaterThan(0);
    expect(planEstate(estate, { merchants: [], enrolments: [], rulesets: [] }).problems).toEqual(
      [],
    );
  });

  it('have the JSON Schema of this version', async () => {
    const text = await readFile(new URL('estate.schema.json', folder), 'utf8');
    expect(JSON.parse(text)).toEqual(estateJsonSchema());
  });
});
