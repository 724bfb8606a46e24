/**
 * How a project writes imports of its own files. Templates say `./file.ts`, which Node runs as it is; TypeScript
 * takes that only where the project allows it. One that compiles for Node says `./file.js`, one with a bundler `./file`.
 *
 * The ending is no edit: texts are compared as they were shipped.
 */
import type { TsConfigJson } from 'get-tsconfig';
import { getTsconfig } from 'get-tsconfig';

export type ImportEnding = '.ts' | '.js' | '';

/** A file of the project itself, named in an import. */
const OWN_FILE = /(\bfrom '\.{1,2}\/[^'\n]*?)(?:\.[jt]s)?(?=')/g;

/** What the nearest tsconfig.json asks for; without one, files are run as they are. */
export function importEndingOf(root: string): ImportEnding {
  const options = optionsOf(root);
  if (options === undefined) return '.ts';
  if (options.allowImportingTsExtensions === true) return '.ts';
  if (options.rewriteRelativeImportExtensions === true) return '.ts';
  return isBundled(options) ? '' : '.js';
}

/** The text with its imports written so. */
export function withImportEnding(text: string, file: string, ending: ImportEnding): string {
  return file.endsWith('.ts') ? text.replace(OWN_FILE, `$1${ending}`) : text;
}

function optionsOf(root: string): TsConfigJson.CompilerOptions | undefined {
  try {
    const found = getTsconfig(root);
    return found === null ? undefined : (found.config.compilerOptions ?? {});
  } catch {
    // What the compiler cannot read either is mended first; until then files are run as they are.
    return undefined;
  }
}

/** Node needs the ending of an import; a bundler finds the file. */
function isBundled({ module, moduleResolution }: TsConfigJson.CompilerOptions): boolean {
  if (moduleResolution !== undefined) return moduleResolution.toLowerCase() === 'bundler';
  return /^(?:es|preserve)/i.test(module ?? 'esnext');
}
