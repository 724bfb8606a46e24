/** Where the text of a setting comes from. */
import { readFileSync } from 'node:fs';
import { ConfigError } from '../base/kernel/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used: every fault, by the setting's name and never by its value. */
export class SettingsError extends ConfigError {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The settings cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** Where `installation.yaml` lies; undefined where none is named. @throws {SettingsError} when it is empty or given twice */
export function installationPathIn(env: Environment): string | undefined {
  const name = 'FORESTALL_INSTALLATION';
  const faults: string[] = [];
  const path = collect([name], env, faults)[name];
  if (faults.length > 0) throw new SettingsError(faults);
  if (path === '') throw new SettingsError([emptyFault(name)]);
  return path;
}

/** The complaint about a setting that is given without a value. */
export function emptyFault(name: string): string {
  return `${name} is empty; give it a value, or leave it out.`;
}

/** Takes each setting from `NAME` or `NAME_FILE`; an empty value counts as given and wrong. */
export function collect(
  names: readonly string[],
  env: Environment,
  faults: string[],
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const direct = env[name];
    const path = env[`${name}_FILE`];
    if (direct !== undefined && path !== undefined) {
      faults.push(`${name} and ${name}_FILE are both set; keep one.`);
    } else if (path !== undefined) {
      try {
        values[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      } catch {
        faults.push(`${name}_FILE names a file that cannot be read.`);
      }
    } else if (direct !== undefined) {
      values[name] = direct;
    }
  }
  return values;
}
