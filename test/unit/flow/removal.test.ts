/** Guarantee: the check of removal takes a capability's lines out of the lists, and sees what names it elsewhere. */
import { describe, expect, it } from 'vitest';
import { reaching, without } from '../../removal/without.ts';

const SOURCES = new Map([
  [
    'src/capabilities/index.ts',
    "import { a } from './a/index.ts';\nimport { b } from './b/index.ts';\n\nexport const ALL = [b, a];\n",
  ],
  [
    'src/capabilities/settings.ts',
    "import type { AOptions } from './a/settings.ts';\nimport type { BOptions } from './b/settings.ts';\n\nexport type Options = object & BOptions & AOptions;\n",
  ],
  [
    'src/capabilities/commands.ts',
    "export const COMMANDS = [\n  {\n    commands: { a: 'the first' },\n    load: async () => (await import('./a/commands.ts')).commands,\n  },\n  {\n    commands: { b: 'the second' },\n    load: async () => (await import('./b/commands.ts')).commands,\n  },\n];\n",
  ],
  [
    'src/index.ts',
    "export type {\n  A,\n  Other as Another,\n} from './capabilities/a/a.table.ts';\n",
  ],
  ['src/capabilities/a/index.ts', 'export const a = 1;\n'],
  ['src/capabilities/a/door.ts', "export const door = {\n  property: 'receiveA',\n};\n"],
  ['templates/receiver.ts', 'await forestall.receiveA(request);\n'],
  ['templates/other.ts', 'await forestall.receive(request);\n'],
  ['src/capabilities/b/index.ts', 'export const b = 2;\n'],
  ['src/running/slip.ts', "import { a } from '../capabilities/a/index.ts';\n"],
  ['test/flow/of-slip.test.ts', "import { slip } from '../../src/running/slip.ts';\n"],
  ['test/capabilities/a/a.test.ts', "import { a } from '../../../src/capabilities/a/index.ts';\n"],
]);

describe('without a capability', () => {
  it('its folder, its tests and its lines are gone, and those of the others are there', () => {
    const left = without(SOURCES, 'a');
    expect([...left.keys()].filter((path) => path.includes('/a/'))).toEqual([]);
    expect(left.get('src/capabilities/index.ts')).toBe(
      "import { b } from './b/index.ts';\n\nexport const ALL = [b, ];\n",
    );
    expect(left.get('src/capabilities/settings.ts')).toBe(
      "import type { BOptions } from './b/settings.ts';\n\nexport type Options = object & BOptions;\n",
    );
    expect(left.get('src/capabilities/commands.ts')).toBe(
      "export const COMMANDS = [\n  {\n    commands: { b: 'the second' },\n    load: async () => (await import('./b/commands.ts')).commands,\n  },\n];\n",
    );
    expect(left.get('src/index.ts')).toBe('');
  });

  it('what names it outside is found, and what imports that', () => {
    expect([...reaching(SOURCES, 'a')].sort()).toEqual([
      'src/running/slip.ts',
      'templates/receiver.ts',
      'test/capabilities/a/a.test.ts',
      'test/flow/of-slip.test.ts',
    ]);
  });
});
