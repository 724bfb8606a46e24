/** Guarantee: what a reason code asks for is read from the file that the setting names, on the page and by the command alike. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { ruleOf } from '../../../src/capabilities/representments/pack-rules.ts';
import { evidencePacks } from '../../../src/capabilities/representments/settings.ts';
import { givenInOptions } from '../../../src/capabilities/settings.ts';

const SHIPPED = new URL('../../../src/capabilities/representments/packs.yaml', import.meta.url);

it('reads the file that createForestall is given, and names the setting when it cannot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packs-'));
  try {
    const file = join(folder, 'packs.yaml');
    writeFileSync(
      file,
      readFileSync(SHIPPED, 'utf8').replace("codes: ['13.5']", "codes: ['99.9']"),
    );
    const own = openSettings(givenInOptions({ evidencePacks: file })).of(evidencePacks);
    expect([ruleOf(own, '13.5').name, ruleOf(own, '99.9').name]).toEqual([
      'other',
      ruleOf(openSettings({}).of(evidencePacks), '13.5').name,
    ]);
    const gone = openSettings(givenInOptions({ evidencePacks: join(folder, 'gone.yaml') }));
    expect(() => gone.of(evidencePacks)).toThrow(/FORESTALL_EVIDENCE_PACKS/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
