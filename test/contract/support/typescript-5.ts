/**
 * Loaded before a code generator: they draw with the API that TypeScript had before version 7. It is
 * taken from the copy that @ts-morph/common carries, so that no second compiler is installed.
 */
import { registerHooks } from 'node:module';

const carrier = import.meta.resolve('@ts-morph/common');
const source = `import common from ${JSON.stringify(carrier)}; export default common.ts;`;
const url = `data:text/javascript,${encodeURIComponent(source)}`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url, shortCircuit: true } : next(specifier, context),
});
