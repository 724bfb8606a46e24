/**
 * Loaded before a role starts (`node --import`): ends the process by SIGKILL at the crash point that
 * `CRASH_AT` names, as if the machine had died there.
 */
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';

setCrashHook((point) => {
  if (point === process.env['CRASH_AT']) process.kill(process.pid, 'SIGKILL');
});
