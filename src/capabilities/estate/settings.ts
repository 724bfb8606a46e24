/** The settings of the estate. Every command reads them. */
import { settingOfFile } from '../../base/kernel/setting.ts';

/** The path. Undefined: the estate is not managed. Its file is read again by each look, with the files that it includes. */
export const estateFile = settingOfFile({
  name: 'FORESTALL_ESTATE',
  says: 'path of the estate file; the worker then looks for changes made elsewhere, with the partner key ([guide](../estate.md))',
  byDefault: 'none',
  isOwn: true,
  open: (path) => path,
});

export interface EstateOptions {
  /**
   * Path of the estate file: the worker looks at it and tells what others changed. Takes `service.partnerApiKey`.
   * @default the estate is not managed
   */
  readonly estate?: string;
}
