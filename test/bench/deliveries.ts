/**
 * `node test/bench/deliveries.ts [events] [--seed S] [--rate R] [--kill-seconds K]`: the test of killed workers with that many
 * events (100,000 unless told otherwise), R of them committed in a second (100), one kill every K seconds on average (3; 0 for
 * none).
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { spawn } from '../support/child-process.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    rate: { type: 'string' },
    'kill-seconds': { type: 'string' },
  },
});
const events = Number(positionals[0] ?? 100_000);
const rate = Number(values.rate ?? 100);
const root = new URL('../../', import.meta.url);
const child = spawn(
  process.execPath,
  [
    fileURLToPath(new URL('node_modules/vitest/vitest.mjs', root)),
    ...['run', '--config', 'test/vitest.config.ts', '--mode', 'long'],
    'test/capabilities/events/killed-workers.long.test.ts',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    timeout: 300_000 + (events / rate) * 4_000,
    killSignal: 'SIGKILL',
    env: {
      ...process.env,
      FORESTALL_DELIVERED_EVENTS: String(events),
      FORESTALL_DELIVERED_RATE: String(rate),
      FORESTALL_DELIVERED_SEED: values.seed ?? '1',
      FORESTALL_DELIVERED_KILL_SECONDS: values['kill-seconds'] ?? '3',
    },
  },
);
const [status] = await once(child, 'close');
process.exitCode = Number(status ?? 1);
