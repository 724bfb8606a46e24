/** Guarantee: what is wrong with a file that a person gives is said in words; no wording of a schema library reaches them. */
import { describe, expect, it } from 'vitest';
import { parseEvidenceRules } from '../../../src/alerts/evidence/evidence-rules.ts';
import { readGuards } from '../../../src/alerts/guard/guard-settings.ts';
import { readWindows } from '../../../src/capabilities/credits/credit-windows.ts';
import { readSources } from '../../../src/capabilities/estate/plan/read-estate.ts';
import { readReportedCsv } from '../../../src/capabilities/ratios/reported.ts';
import { readPackRules } from '../../../src/capabilities/representments/pack-rules.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { parseInstallation } from '../../../src/running/installation/read-installation.ts';

/** How the schema library speaks. */
const LIBRARY = /Invalid |expected |received |undefined|>=|<=|NaN|Unrecognized|Too (?:small|big)/;

const estate = (text: string): unknown => readSources({ path: 'estate.yaml', text }, [], {});
const installation = (text: string): unknown => parseInstallation('installation.yaml', text, {});
const policy = (text: string): unknown => loadPolicy(text, { file: 'policy.yaml' });

/** Everything that is said when the text is read. */
function saidOf(read: (text: string) => unknown, text: string): string {
  try {
    const answer = read(text);
    return JSON.stringify(answer);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const READERS: readonly (readonly [string, (text: string) => unknown])[] = [
  ['an estate', estate],
  ['an installation', installation],
  ['a policy', policy],
  ['rules of packs', (text) => readPackRules(text, 'packs.yaml')],
  ['windows of credits', (text) => readWindows(text, 'windows.yaml')],
  ['rules of evidence', (text) => parseEvidenceRules(text, undefined)],
  ['guards', (text) => readGuards(text, 'guards.yaml')],
];

const TEXTS: readonly string[] = [
  '',
  '# nothing but a comment\n',
  'null\n',
  '7\n',
  '- a\n- b\n',
  'organisation: 7\nmerchants: 5\nenrolments: {a: 1}\nrulesets: [1]\n',
  'version: 2\norganisations: []\n',
  'version: 1\norganisations: [7]\n',
  'version: 1\nrules: 5\nname: 7\n',
  'rules: [{name: a}]\nfallback: 9\n',
  'rules: [7]\n',
  'packs: 1\nelements: []\nversion: 3\n',
  'caps: 5\nbreakers: [1]\nsecond_person: {above: 7}\n',
  'programmes: []\nce3: 1\n',
];

describe.each(READERS)('%s', (_name, read) => {
  it.each(TEXTS)('says in words what is wrong with %j', (text) => {
    expect(saidOf(read, text)).not.toMatch(LIBRARY);
  });
});

it('says of an empty estate that it is empty, and how one begins', () => {
  expect(saidOf(estate, '')).toContain(
    'estate.yaml:1:1: the file is empty. Begin with organisation:.',
  );
  expect(saidOf(estate, '# soon\n')).toContain('the file is empty');
  expect(saidOf(installation, '')).toContain('the file is empty. Begin with version: 1.');
  expect(saidOf(estate, '- a\n')).toContain('the file must be a group of settings.');
});

it('says of a reported row which column is missing', () => {
  const read = readReportedCsv('month,scheme,measure\n2026-10,SCHEME_A,fraud\n', 'mail');
  expect(JSON.stringify(read)).not.toMatch(LIBRARY);
  expect(JSON.stringify(read)).toContain('value is missing');
});
