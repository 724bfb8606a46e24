/** The settings of ratios. Every command reads them: only what opens a file is loaded. */
import { z } from 'zod';
import { pathVariable, settingOfParts, textVariable } from '../../base/kernel/setting.ts';
import { openMonitoring } from './monitoring.ts';

export const monitoring = settingOfParts(
  {
    folder: pathVariable({
      name: 'FORESTALL_MONITORING',
      key: 'monitoring.folder',
      says: 'a folder with monitoring programmes of your own',
      byDefault: 'those that come with Forestall',
    }),
    region: textVariable({
      name: 'FORESTALL_MONITORING_REGION',
      key: 'monitoring.region',
      type: z
        .string()
        .regex(/^[A-Z]{2,5}$/, { error: 'must be a region as the files name it, for example EU' }),
      says: 'the acquirer’s region, for example EU',
      byDefault: 'every region',
    }),
  },
  openMonitoring,
);

export interface MonitoringSettings {
  /** A folder with files of the merchant's own. */
  readonly folder?: string | undefined;
  readonly region?: string | undefined;
}

export interface RatioOptions {
  /** The schemes' monitoring programmes: a folder with files of your own, and the acquirer's region. */
  readonly monitoring?: MonitoringSettings;
}
