/** The settings of credits. Every command reads them: only what opens a file is loaded. */
import { settingOfFile } from '../../base/kernel/setting.ts';
import { openCreditWindows } from './credit-windows.ts';

export const creditWindows = settingOfFile({
  name: 'FORESTALL_CREDIT_WINDOWS',
  says: 'path of your file that says until when credits can be claimed',
  byDefault: 'the one that comes with it',
  open: openCreditWindows,
});

export interface CreditOptions {
  /** Path of a file that says until when credits can be claimed. @default the one that comes with Forestall */
  readonly creditWindows?: string;
}
