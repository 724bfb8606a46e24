/**
 * `createForestall`, as programs import it. All that it is made of, the console and the database client
 * included, is loaded by its first call: a program that only wants a type, a policy or a processor, and a
 * command line or a function that starts often, does not wait for it.
 *
 * @module
 */
import type { Forestall } from './forestall.ts';
import type { ForestallInstallation } from './forestall-installation.ts';
import type { ForestallOptions, InstallationOptions } from './running/embed/options.ts';

/**
 * Opens Forestall. The database must be reachable, because its time is the clock.
 *
 * @throws {ConfigError} when a secret, a path or the pool cannot be used
 * @throws {PolicyError} naming every problem of the policy file with its line and column
 */
export async function createForestall(options: ForestallOptions): Promise<Forestall> {
  const [assembled, { inWordsOfOptions, refuseWrongOptions }] = await Promise.all([
    import('./forestall.ts'),
    import('./running/embed/check-options.ts'),
  ]);
  refuseWrongOptions('createForestall', options);
  return await assembled.createForestall(options).catch((error: unknown) => {
    throw inWordsOfOptions(error);
  });
}

/**
 * Opens several organisations that share a pool, a worker and a console.
 *
 * @throws {ConfigError} when a secret, a path or the pool cannot be used, or two organisations have one id or path
 * @throws {PolicyError} naming every problem of a policy file with its line and column
 */
export async function createInstallation(
  options: InstallationOptions,
): Promise<ForestallInstallation> {
  const [assembled, { inWordsOfOptions, refuseWrongOptions }] = await Promise.all([
    import('./forestall-installation.ts'),
    import('./running/embed/check-options.ts'),
  ]);
  refuseWrongOptions('createInstallation', options);
  return await assembled.createInstallation(options).catch((error: unknown) => {
    throw inWordsOfOptions(error);
  });
}
