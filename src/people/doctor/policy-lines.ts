/** The policy: readable, and more than "hold everything". */
import { messageOf } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import { findActivation } from '../../policy/version.store.ts';
import { openPolicy } from '../../running/roles/policy-source.ts';
import type { DoctorCheck } from './context.ts';

export const policyLines: DoctorCheck = async ({ settings, isSandbox, service, rows }) => {
  const name = 'policy';
  const { policyPath: path, brandTokens: brands } = settings;
  try {
    const log = createLog({ level: 'silent' });
    const policy = openPolicy({ path, demonstration: isSandbox, brands, log }).current();
    if (path !== undefined)
      return [ok(name, `the file of FORESTALL_POLICY, version ${policy.version}`)];
    const latest =
      'problem' in rows ? undefined : await findActivation(rows.value, service.organisationId);
    if (latest != null && latest.approved_by !== null) {
      const { version, approved_by: by } = latest;
      return [ok(name, `written in the console, version ${version}, put in force by ${by}`)];
    }
    if (isSandbox) return [ok(name, 'the demonstration policy')];
    const step =
      'Copy one with "forestall add policies/small-amounts" and set FORESTALL_POLICY, or write one in the console.';
    return [warning(name, 'none: every alert is held for a person', step)];
  } catch (error) {
    const step = 'Correct the file; "forestall policy check" names every problem.';
    return [failed(name, messageOf(error), step)];
  }
};
