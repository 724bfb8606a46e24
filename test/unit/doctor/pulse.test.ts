/** Guarantee: the doctor takes a wait in vain for a fault unless this machine itself had no time for it; then it says so. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { failed, ok, warning } from '../../../src/base/kernel/status-line.ts';
import { linesOf } from '../../../src/people/doctor/doctor.ts';
import { startPulse, unlessBusy } from '../../../src/people/doctor/pulse.ts';

const lines = [
  ok('disk', '50 GB are free'),
  failed('service', 'no answer (TIMEOUT)', 'Look for a proxy.'),
  failed('policy, operation', 'not known, no end in time', 'Look at the load.'),
  failed('processor', 'gives no answer (the call ended: aborted)', 'Look at it.'),
  failed('service', 'no answer (NETWORK)', 'Check the host.'),
  failed('API key', 'refused by the service (401)', 'Create a key.'),
  warning('policy', 'none', 'Write one.'),
];

it('keeps every fault where the machine had time', () => {
  expect(unlessBusy(lines, false)).toEqual(lines);
});

it('knows nothing of a wait where the machine had none, and keeps what was answered', () => {
  const judged = unlessBusy(lines, true);
  expect(judged.map(({ status }) => status).join(' ')).toBe(
    'ok warning warning warning failed failed warning',
  );
  expect(judged[1]?.detail).toBe(
    'no answer (TIMEOUT); not known, because this machine is too busy to tell',
  );
  expect(judged[5]).toEqual(lines[5]);
});

it('takes what failed at once for what it is, however busy the machine', () => {
  const unread = failed('certificate', 'none that can be read', 'Check the proxy.');
  const away = { problem: 'it does not answer', nextStep: 'Start it.' };
  const ends = [
    { came: { lines: [unread] }, tookMs: 20 },
    { came: { lines: [unread] }, tookMs: 3_000 },
    { came: { name: 'policy', ...away }, tookMs: 10 },
  ];
  const statuses = (isBusy: boolean) => linesOf(ends, isBusy).map(({ status }) => status);
  expect(statuses(true)).toEqual(['failed', 'warning', 'failed']);
  expect(statuses(false)).toEqual(['failed', 'failed', 'failed']);
});

it('feels that it gets no turn', async () => {
  const pulse = startPulse(300);
  // Whatever failed so soon did not wait.
  const patient = startPulse();
  const endMs = performance.now() + 400;
  while (performance.now() < endMs) {
    // Nobody else runs meanwhile.
  }
  await wait(1);
  expect(pulse.isBusy()).toBe(true);
  expect(patient.isBusy()).toBe(false);
  pulse.stop();
  patient.stop();
});

it('is calm while it only waits', async () => {
  // On a machine that is busy it may be right to say otherwise: once of several times it is not.
  for (let tries = 0; tries < 20; tries++) {
    const pulse = startPulse(200);
    await wait(300);
    const isBusy = pulse.isBusy();
    pulse.stop();
    if (!isBusy) return;
  }
  expect.fail('never calm');
});
