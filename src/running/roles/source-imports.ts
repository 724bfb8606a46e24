/**
 * Lets Node run TypeScript files whose imports are written for a compiler: `./words.js` or `./words` beside
 * a file `words.ts`. A merchant's processor is loaded as it lies there, however its project wants imports.
 */
import { registerHooks } from 'node:module';
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
  });
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ERR_MODULE_NOT_FOUND';
}
