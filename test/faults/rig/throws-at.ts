/**
 * Loaded before a role starts (`node --import`): throws at the crash point that `THROW_AT` names, every time
 * it is passed, as a handler does whose code is wrong.
 */
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';

setCrashHook((point) => {
  if (point === process.env['THROW_AT']) throw new Error('planted: this handler always fails');
});
