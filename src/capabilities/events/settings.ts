/** The settings of events. Every command reads them: only what opens a file is loaded. */
import { settingOfFile } from '../../base/kernel/setting.ts';
import { ENDPOINTS_SETTING, openEndpoints } from './endpoints-file.ts';

export const endpoints = settingOfFile({
  name: ENDPOINTS_SETTING,
  says: 'path of a YAML file of the endpoints that are told of events',
  byDefault: 'those of the console only',
  open: openEndpoints,
});

export interface EventOptions {
  /** Path of a YAML file of the endpoints that are told of events. @default those of the console only */
  readonly endpoints?: string;
}
