/** Reads a setting of yours from the environment. Replace it by whatever holds your secrets. */
import { env } from 'node:process';

/** @throws when it is not set: a processor without its key must not start */
export function setting(name: string): string {
  // biome-ignore lint/style/noProcessEnv: the one place where a template reads the environment.
  const value = env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set. Set it where your service gets its environment.`);
  }
  return value;
}
