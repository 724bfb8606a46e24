/** Guarantee: of several organisations the doctor shows what is wrong of each, and one line of those that are well. */
import { expect, it } from 'vitest';
import { failed, ok, warning } from '../../../src/base/kernel/status-line.ts';
import { showInstallation } from '../../../src/people/cli/doctor-organisations.ts';
import { summarise } from '../../../src/people/doctor/doctor.ts';

it('shows what they share, then a block for each', () => {
  const shared = [ok('database', 'answers')];
  const two = [
    failed('service', 'the key is refused', 'Set another key.'),
    warning('policy', 'none is set', 'Write one.'),
    ok('processor', 'answers'),
  ];
  const one = [ok('service', 'answers'), ok('processor', 'answers')];
  const report = {
    ...summarise([...shared, ...two, ...one]),
    lines: shared,
    organisations: [
      { id: 'org_2', name: 'Two', ...summarise(two) },
      { id: 'org_1', name: 'One', ...summarise(one) },
    ],
  };
  expect(showInstallation(report, 80)).toBe(
    [
      'ok       database: answers',
      '',
      'One (org_1): 2 ok',
      '',
      'Two (org_2): 1 ok, 1 warnings, 1 failed',
      'warning  policy: none is set',
      '         → Write one.',
      'FAILED   service: the key is refused',
      '         → Set another key.',
      '',
      '4 ok, 1 warnings, 1 failed, of 2 organisations.',
    ].join('\n'),
  );
});
