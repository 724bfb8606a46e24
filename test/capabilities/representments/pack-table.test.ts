/** Guarantee: the README's table of reason codes is the file that packs are made by. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  openPackRules,
  readPackRules,
  ruleOf,
} from '../../../src/capabilities/representments/pack-rules.ts';

const RULES = openPackRules();
const README = readFileSync(
  new URL('../../../src/capabilities/representments/README.md', import.meta.url),
  'utf8',
);

it('has a row for each pack, word by word', () => {
  const rows = README.split('\n').filter((line) => /^\| (?:[\d.]+|other) \|/.test(line));
  expect(rows).toEqual(
    RULES.packs.map(
      ({ name, codes, required, helpful, source }) =>
        `| ${name} | ${codes.join(', ') || 'any other'} | ${required.join(', ')} | ${helpful.join(', ')} | ${source} |`,
    ),
  );
});

it.each([
  '10.4',
  '12.6',
  '13.1',
  '13.2',
  '13.3',
  '13.4',
  '13.5',
  '13.6',
  '13.7',
  '4837',
  '4853',
  '4834',
  '4808',
])('names a pack for %s', (code) => {
  expect(ruleOf(RULES, ` ${code.toLowerCase()} `).name).not.toBe('other');
});

it('takes the pack named other for a code that it does not know, and for none', () => {
  expect(ruleOf(RULES, '99.9').name).toBe('other');
  expect(ruleOf(RULES, null).name).toBe('other');
});

it('refuses a file that names a code twice, an element that nobody knows, or no pack for the rest', () => {
  const pack = (name: string, codes: string, required = '[order]'): string =>
    `- {name: '${name}', title: t, codes: ${codes}, required: ${required}, helpful: [], source: s, confidence: c}`;
  const file = (...packs: string[]): string =>
    `version: v\nelements: {}\npacks:\n${packs.join('\n')}\n`;
  const full = readFileSync(
    new URL('../../../src/capabilities/representments/packs.yaml', import.meta.url),
    'utf8',
  );
  expect(() => readPackRules(full.replace("codes: ['13.5']", "codes: ['13.4']"), 'F')).toThrow(
    'names the code 13.4 twice',
  );
  expect(() => readPackRules(full.replace('- name: other', '- name: rest'), 'F')).toThrow(
    'no pack named other',
  );
  expect(() => readPackRules(file(pack('other', '[]', '[alibi]')), 'F')).toThrow(
    'F is not as expected',
  );
});
