/**
 * The generator's TypeScript is a copy inside another package, without the declarations of the language
 * itself (`Promise`, `Map`). It takes those of the compiler that the project is built with.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ts } from '@ts-morph/common';

/** Before a program is made. */
export function useCurrentLibraries(): void {
  const require = createRequire(import.meta.url);
  const own = createRequire(require.resolve('typescript/package.json'));
  const compiler = own.resolve(
    `@typescript/typescript-${process.platform}-${process.arch}/package.json`,
  );
  const libraries = join(dirname(compiler), 'lib');
  ts.sys.getExecutingFilePath = (): string => join(libraries, 'typescript.js');
}
