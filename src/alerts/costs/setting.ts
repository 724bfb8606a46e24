/** The setting of the cost model. Every command reads it: only what opens the file is loaded. */
import { settingOfFile } from '../../base/kernel/setting.ts';
import { openCostModel } from './cost-model.ts';

export const costs = settingOfFile({
  name: 'FORESTALL_COSTS',
  says: 'path of your [cost model](costs.md): what alerts and disputes cost you, for refunding compared with accepting and the console’s figures; its rates turn amounts into US dollars for ratios',
  byDefault: 'figures of the field',
  open: openCostModel,
});

export interface CostOptions {
  /** Path of a file that says what alerts and disputes cost you. @default published figures of the field */
  readonly costs?: string;
}
