/** Whether the options of a call can be used at all, for programs whose types nobody checked. */
import { z } from 'zod';
import { ConfigError } from '../../base/kernel/errors.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import { issueProblem } from '../../service/wire/issue-sentence.ts';

const text = z.string().min(1);
const database = z.custom<unknown>(
  (value) => typeof value === 'string' || isRecord(value),
  'must be the address of a database, or a pool of pg',
);

const FORESTALL = z.looseObject({
  database,
  service: z.looseObject({ url: text, apiKey: text }),
  organisationId: text,
  webhookSecrets: z.array(z.string()),
});
const INSTALLATION = z.looseObject({ database, organisations: z.array(z.looseObject({})) });

/** @throws {ConfigError} naming every option that is missing or of another kind, never its value */
export function refuseWrongOptions(
  call: 'createForestall' | 'createInstallation',
  options: unknown,
): void {
  const schema = call === 'createForestall' ? FORESTALL : INSTALLATION;
  if (!isRecord(options)) {
    const names = Object.keys(schema.shape).join(', ');
    throw new ConfigError(`${call} was called without options. Give at least ${names}.`);
  }
  const parsed = schema.safeParse(options, { reportInput: true });
  if (parsed.success) return;
  const faults = parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join('.')} ${issueProblem(issue)}`,
  );
  throw new ConfigError(`${call} cannot use its options: ${faults.join('; ')}. Correct them.`);
}
