/** The data keys: whether every key that rows may need is there and right. Silent where none is used. */

import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import { knownDataKeys, knowsDataKeys } from '../../base/seal/data-key.store.ts';
import { dataKeyFaults } from '../../base/seal/key-admission.ts';
import type { DoctorCheck } from './context.ts';

const NAME = 'data keys';

export const sealLines: DoctorCheck = async ({ rows, settings, service }) => {
  const { dataKeys } = settings;
  if ('problem' in rows || !(await knowsDataKeys(rows.value))) return [];
  const { organisationId } = service;
  const faults = await dataKeyFaults(rows.value, organisationId, dataKeys);
  if (faults.length > 0) {
    return faults.map((text) =>
      failed(NAME, text.replace(/\.$/, ''), 'Nothing starts until then.'),
    );
  }
  if (dataKeys === undefined) return [];
  const sealing = dataKeys.sealing?.id;
  const known = await knownDataKeys(rows.value, organisationId);
  const others = known.map(({ keyId }) => keyId).filter((keyId) => keyId !== sealing);
  const detail =
    sealing === undefined ? 'nothing is sealed any more' : `new rows are sealed under ${sealing}`;
  if (others.length === 0) return [ok(NAME, detail)];
  const older = `${detail}; older rows may need ${others.join(', ')}`;
  return [warning(NAME, older, 'Run: forestall reseal')];
};
