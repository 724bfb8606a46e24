/** What a process started by a test is given of the machine's settings: nothing that could reach ours. */
export function childEnv(): Record<string, string> {
  const { PATH = '', FORESTALL_TEST_COMPILE_CACHE: cache } = process.env;
  return cache === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE: cache };
}
