/** Reads a setting of yours from the environment. Replace it by whatever holds your secrets. */

/** @throws when it is not set: nothing starts without its keys */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set. Set it where your service gets its environment.`);
  }
  return value;
}
