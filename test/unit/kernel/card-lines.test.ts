/**
 * Guarantee: a long text that is uploaded, and a settings file, is read whole for card numbers, and what stands beside one another
 * in a table, and the numbers of acceptors and banks, are none.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  lineOfSettingsWithCard,
  lineOfUploadWithCard,
} from '../../../src/base/kernel/card-number.ts';
import { readYaml } from '../../../src/base/kernel/setting-file.ts';
import { readEstate } from '../../../src/capabilities/estate/plan/read-estate.ts';
import { readInstallationText } from '../../../src/running/installation/read-installation.ts';

const FILLER = 'nothing to see here\n'.repeat(200);

describe('an upload', () => {
  it.each([
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242,4242,4242,4242',
    '4242;4242;4242;4242',
    '4242\t4242\t4242\t4242',
    '４２４２ ４２４２ ４２４２ ４２４２',
  ])('of prose with %s in its last line', (card) => {
    expect(lineOfUploadWithCard(`${FILLER}he paid with ${card}`)).toBe(201);
    expect(lineOfUploadWithCard(FILLER)).toBeUndefined();
  });

  it('that is a table is read cell by cell, whatever its delimiter', () => {
    for (const delimiter of [',', ';', '\t']) {
      const row = ['a', '4242', '4242', '4242', '4242'].join(delimiter);
      expect(lineOfUploadWithCard(`${row}\n`.repeat(300))).toBeUndefined();
      const named = ['a', '4242 4242 4242 4242', '1', '2', '3'].join(delimiter);
      expect(lineOfUploadWithCard(`${`${row}\n`.repeat(300)}${named}`)).toBe(301);
    }
    // What parts no cells here parts the groups of a number.
    const row = ['a', '4242,4242,4242,4242', '3'].join(';');
    expect(lineOfUploadWithCard(`a;b;c\na;b;c\n${row}`)).toBe(3);
  });
});

describe('a settings file', () => {
  it('is refused with its line, comments included', () => {
    expect(lineOfSettingsWithCard('a: 1\n# paid with 4242-4242-4242-4242\n')).toBe(2);
    expect(lineOfSettingsWithCard('a: 1\nnote: "4242424242424242"\n')).toBe(2);
    expect(() => readYaml('note: 4242424242424242', 'costs.yaml', z.looseObject({}))).toThrow(
      'costs.yaml:1: this holds a full card number',
    );
    expect(readYaml('note: 4242424242424241', 'costs.yaml', z.looseObject({}))).toEqual({
      note: 4242424242424241,
    });
  });

  it('may hold the numbers of acceptors, banks and merchants', () => {
    const text =
      'caid: "4242424242424242"\n- bin: 4242424242424242\n  merchant_id: 4242424242424242\n';
    expect(lineOfSettingsWithCard(text)).toBeUndefined();
  });
});

describe('files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forestall-cards-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('of an installation and of an estate are refused with file and line', async () => {
    const file = join(folder, 'installation.yaml');
    await writeFile(file, 'organisations:\n  # 4242 4242 4242 4242\n  - path: a\n');
    expect(() => readInstallationText(file)).toThrow(/2.*this holds a full card number/s);
    const estate = join(folder, 'estate.yaml');
    await writeFile(estate, 'merchants:\n  - name: "4242 4242 4242 4242"\n');
    await expect(readEstate(estate, {})).rejects.toThrow(/2.*this holds a full card number/s);
  });
});
