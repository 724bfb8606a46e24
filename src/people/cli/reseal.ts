/**
 * `forestall reseal`: seals what is stored under the data key that seals now, after a rotation or after
 * sealing was switched on; `--open` opens it all, before sealing is switched off.
 */
import type { Command } from 'commander';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { ResealReport } from '../../running/privacy/reseal.ts';
import { reseal } from '../../running/privacy/reseal.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print } from '../../surface/terminal/print.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext } from './orders.ts';

export function registerReseal(program: Command, openContext: OpenOrdersContext): void {
  program
    .command('reseal')
    .option('--open', 'open them instead, before sealing is switched off', false)
    .option('--json', 'print JSON', false)
    .action(async (options: { readonly open: boolean; readonly json: boolean }) => {
      await runOn(openContext, async ({ db, organisationId }) => {
        const keys = dataKeysOf(db);
        if (keys === undefined) {
          throw new ConfigError(
            'FORESTALL_DATA_KEYS is not set: no row is sealed, and there is no key to seal with.',
          );
        }
        const report = await reseal(db, {
          organisationId,
          keys: options.open ? { ...keys, sealing: undefined } : keys,
          onProgress: tellProgress(),
        });
        print(options, report, describeReseal(report));
        if (Object.keys(report.left).length > 0) process.exitCode = EXIT.wrong;
      });
    });
}

/** Rows between two words of progress. */
const TOLD_EVERY = 100_000;

/** Tells a person at a terminal that it continues. */
function tellProgress(): (rows: number) => void {
  let looked = 0;
  return (rows) => {
    const before = Math.floor(looked / TOLD_EVERY);
    looked += rows;
    if (!process.stderr.isTTY || Math.floor(looked / TOLD_EVERY) === before) return;
    console.error(`${looked} rows looked at.`);
  };
}

function describeReseal({ keyId, changed, left, done, inUse }: ResealReport): string {
  const now = keyId === null ? 'open' : `sealed under ${keyId}`;
  const rows = Object.entries(changed).map(([table, count]) => `${count} in ${table}`);
  const others = Object.entries(left).map(
    ([key, count]) => `${count} ${key === '' ? 'not sealed' : `under ${key}`}`,
  );
  return [
    `Now ${now}: ${rows.length === 0 ? 'nothing had to change' : rows.join(', ')}.`,
    others.length === 0
      ? 'Nothing is left otherwise.'
      : `Left: ${others.join(', ')}, written meanwhile. See that every process runs with the same FORESTALL_DATA_KEYS, then run this again.`,
    ...done.map(
      (key) =>
        `No row needs data key ${key} any more. Take it out; backups made before this still need it.`,
    ),
    ...inUse.map(
      (key) =>
        `No row needs data key ${key}, but a process sealed with it within the last five minutes. Restart every process with the new FORESTALL_DATA_KEYS, and run this again after five minutes.`,
    ),
  ].join('\n');
}
