/** Reads a policy file and the lists and rates it names, which are in its folder or where it says. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { referencedFiles } from './references.ts';

/** Largest list or rate file, in bytes. A larger one counts as unreadable. */
const LIST_BYTES_MAX = 4 * 1024 * 1024;

/** A policy as it lies on the disk. */
export interface PolicyText {
  readonly text: string;
  /** The files it names that could be read, by path as it names them. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Reads the policy. A named file that cannot be read is left out: loading then says where it is named.
 *
 * @throws when the policy file itself cannot be read
 */
export function readPolicyText(path: string): PolicyText {
  const text = readFileSync(path, 'utf8');
  const files: Record<string, string> = {};
  for (const name of referencedFiles(text)) {
    const content = readSmall(resolve(dirname(path), name));
    if (content !== undefined) files[name] = content;
  }
  return { text, files };
}

function readSmall(path: string): string | undefined {
  try {
    return statSync(path).size > LIST_BYTES_MAX ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
