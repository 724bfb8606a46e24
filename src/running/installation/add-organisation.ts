/** Writes one more organisation into the file; what is there, comments among it, stays as it is. */
import { Document, isSeq, parseDocument } from 'yaml';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Environment } from '../environment.ts';
import type { SecretSource } from './installation-file.ts';
import { organisationsOf, parseInstallation } from './read-installation.ts';

export interface NewOrganisation {
  readonly id: string;
  readonly name: string;
  readonly path?: string | undefined;
  readonly mode?: string | undefined;
  readonly apiKey: SecretSource;
  readonly webhookSecrets: readonly SecretSource[];
}

export interface InstallationText {
  readonly file: string;
  /** Undefined: there is none yet. */
  readonly text: string | undefined;
  readonly env: Environment;
}

/**
 * The file's new text. It begins in shadow by default: nothing is refunded or declared before
 * somebody has looked.
 *
 * @throws {InstallationFileError} when the file would not be usable with it
 */
export function addOrganisation(
  { file, text, env }: InstallationText,
  { id, name, path, mode = 'shadow', apiKey, webhookSecrets }: NewOrganisation,
): string {
  const document = text === undefined ? emptyFile() : parseDocument(text);
  const list: unknown = document.get('organisations', true);
  if (!isSeq(list)) {
    throw new ConfigError(`${file} has no list of organisations. Write "organisations:" first.`);
  }
  const entry = document.createNode({
    id,
    name,
    ...(path === undefined ? {} : { path }),
    mode,
    api_key: apiKey,
    webhook_secrets: webhookSecrets,
  });
  // A list that was empty is in brackets: entries are easier to read one below the other.
  list.flow = false;
  list.add(entry);
  const written = document.toString();
  // What is written must be readable: anyone who runs Forestall reads it within seconds.
  organisationsOf(parseInstallation(file, written, env), env);
  return written;
}

function emptyFile(): Document {
  const document = new Document({ version: 1, organisations: [] });
  document.commentBefore =
    ' The organisations of this Forestall. "forestall organisations check" tells what is wrong.\n Editor help: forestall organisations schema > installation.schema.json\n yaml-language-server: $schema=./installation.schema.json';
  return document;
}
