/** This machine: names of settings that nothing reads, and room on its disk. */
import { createLog } from '../../base/kernel/log.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import { fileProblems } from '../../running/roles/try-settings.ts';
import type { DoctorCheck } from './context.ts';

/** Room below which logs and the embedded database soon fail, and below which they do, in bytes. */
const ROOM_WARNING = 1_024 ** 3;
const ROOM_FAILED = 100 * 1_024 ** 2;

/** What only a start, or a person who looks, says of a file that cannot be used. */
const FILE_STEP = 'Correct the file; nothing starts like this.';

export const settingLines: DoctorCheck = async ({ settings, isSandbox, unknownSettings }) => {
  const problems = fileProblems(settings, createLog({ level: 'silent' }));
  const service = isSandbox ? 'the sandbox' : 'a real service';
  return [
    ok('settings', `readable; ${service}, mode ${settings.mode}`),
    ...problems.map((problem) => failed('settings', problem, FILE_STEP)),
    ...unknownSettings.map(({ name, near }): StatusLine => {
      const detail = `${name} is set, and nothing reads it`;
      return near === undefined
        ? warning('settings', detail, 'Remove it; README.md lists every setting.')
        : failed('settings', detail, `Was ${near} meant? Rename it.`);
    }),
  ];
};

export const diskLines: DoctorCheck = async ({ freeBytes }) => {
  const name = 'disk';
  const free = await freeBytes();
  const detail = `${(free / 1_024 ** 3).toFixed(1)} GB are free in this folder`;
  const step = 'Make room: logs, and the embedded database, are written here.';
  if (free < ROOM_FAILED) return [failed(name, detail, step)];
  return [free < ROOM_WARNING ? warning(name, detail, step) : ok(name, detail)];
};
