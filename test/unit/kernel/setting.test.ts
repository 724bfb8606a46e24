/** Guarantee: a setting described once is read alike from the environment, `installation.yaml` and options. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  openSettings,
  pathVariable,
  settingOfFile,
  settingOfParts,
  shapeOfPlaces,
  textVariable,
  valueAtPlace,
} from '../../../src/base/kernel/setting.ts';

const words = { says: 'x', byDefault: 'y' };
const folder = pathVariable({ name: 'FORESTALL_WATCH', key: 'watch.own_folder', ...words });
const region = textVariable({
  name: 'FORESTALL_WATCH_REGION',
  key: 'watch.region',
  type: z.string().regex(/^[A-Z]+$/),
  ...words,
});

describe('a variable', () => {
  it('takes its key and its option from its name', () => {
    expect(pathVariable({ name: 'FORESTALL_CREDIT_WINDOWS', ...words })).toMatchObject({
      key: 'credit_windows',
      option: 'creditWindows',
      kind: 'path',
    });
  });

  it('takes its option from its key, a level down', () => {
    expect([folder.option, region.option]).toEqual(['watch.ownFolder', 'watch.region']);
  });
});

describe('a setting of several variables', () => {
  const watch = settingOfParts({ folder, region }, (given) => ({ ...given, opened: true }));

  it('is opened with what each of them says, and once', () => {
    let count = 0;
    const counted = settingOfParts({ folder, region }, (given) => ({ ...given, n: ++count }));
    const settings = openSettings({ FORESTALL_WATCH: '/a', FORESTALL_WATCH_REGION: 'EU' });
    expect(settings.of(counted)).toEqual({ folder: '/a', region: 'EU', n: 1 });
    expect(settings.of(counted).n).toBe(1);
  });

  it('is opened with nothing where nothing is given', () => {
    expect(openSettings({}).of(watch)).toEqual({
      folder: undefined,
      region: undefined,
      opened: true,
    });
  });
});

it('a setting of a file is opened with its path', () => {
  const file = settingOfFile({ name: 'FORESTALL_FILE', ...words, open: (path) => path ?? 'ours' });
  expect(openSettings({ FORESTALL_FILE: '/b' }).of(file)).toBe('/b');
  expect(openSettings({}).of(file)).toBe('ours');
});

it('places make nested shapes, in which each value is optional and nothing else is taken', () => {
  const shape = z.strictObject(
    shapeOfPlaces([...[folder, region].map(({ key, type }) => [key, type] as const)]),
  );
  for (const good of [{}, { watch: {} }, { watch: { own_folder: '/a', region: 'EU' } }])
    expect(shape.safeParse(good).success).toBe(true);
  for (const bad of [{ watch: { region: 'eu' } }, { watch: { more: 1 } }, { watch: '/a' }])
    expect(shape.safeParse(bad).success).toBe(false);
});

it('a value is found at its place, and nothing where there is no such place', () => {
  expect(valueAtPlace({ watch: { region: 'EU' } }, 'watch.region')).toBe('EU');
  expect(valueAtPlace({ watch: 'EU' }, 'watch.region')).toBeUndefined();
  expect(valueAtPlace({}, 'watch.region')).toBeUndefined();
});
