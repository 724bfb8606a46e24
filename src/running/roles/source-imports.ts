/**
 * Lets Node run TypeScript files that are written for a compiler: imports of `./words.js` or `./words` next to a file
 * `words.ts`, and `import` in a package of CommonJS, as `npm init` makes one. A merchant's processor is loaded as it
 * lies there, however its project wants imports.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../../base/kernel/errors.ts';

let isRegistered = false;

/** For the rest of the process; what Node finds by itself is not touched. */
export function followSourceImports(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
        const isFromSource = context.parentURL?.endsWith('.ts') === true;
        if (!isFromSource || !/^\.{1,2}\//.test(specifier) || !isMissing(error)) throw error;
        return next(specifier.replace(/(?:\.js)?$/, '.ts'), context);
      }
    },
    load: (url, context, next) => {
      const isModule = context.format === 'commonjs-typescript' && usesImport(url);
      return next(url, isModule ? { ...context, format: 'module-typescript' } : context);
    },
  });
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ERR_MODULE_NOT_FOUND';
}

/** Whether a file has the syntax of a module, which Node would refuse in a package of CommonJS. */
function usesImport(url: string): boolean {
  return /^(?:import\s*[\w{*'"]|export\s)/m.test(readFileSync(fileURLToPath(url), 'utf8'));
}
