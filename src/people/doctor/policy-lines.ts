/** The policy: readable, and more than "hold everything"; and whether anybody hears what happens. */
import { messageOf } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import { channelNames } from '../../base/notify/notify-settings.ts';
import { findActivation } from '../../policy/version.store.ts';
import { openPolicy } from '../../running/roles/policy-source.ts';
import type { DoctorCheck } from './context.ts';
import { undelivered } from './doctor.store.ts';

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

export const notifyLines: DoctorCheck = async ({ settings, service, rows }) => {
  const name = 'notifications';
  const channels = channelNames(settings.notify);
  if (channels.length === 0) {
    const step = 'Set FORESTALL_NOTIFY_URL, or the webhook or e-mail settings.';
    return [warning(name, 'no target: alarms go to the log only', step)];
  }
  const detail = channels.join(', then ');
  const step = 'Try it with: forestall notify test';
  if ('problem' in rows) return [ok(name, detail)];
  const { waiting } = await undelivered(rows.value, service.organisationId);
  if (waiting === 0) return [ok(name, detail)];
  return [warning(name, `${detail}; ${waiting} messages wait to be repeated`, step)];
};
