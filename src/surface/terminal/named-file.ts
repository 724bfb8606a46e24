/** Files that the command line names. */
import { readFileSync } from 'node:fs';
import { cardRefusal, lineOfUploadWithCard } from '../../base/kernel/card-number.ts';
import { ConfigError, codeOf } from '../../base/kernel/errors.ts';

/** Reads its text. @throws {ConfigError} naming the path and why it cannot be read */
export function readNamed(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = codeOf(cause) ?? 'unknown reason';
    throw new ConfigError(`${path} cannot be read (${code}). Check the path.`, { cause });
  }
}

/** The same for what is stored or shown. @throws {ConfigError} naming the line that holds a full card number, too */
export function readUpload(path: string): string {
  const text = readNamed(path);
  const line = lineOfUploadWithCard(text);
  if (line === undefined) return text;
  throw new ConfigError(cardRefusal(`Line ${line} of ${path}`));
}
