/**
 * How tests run `tsc`: several threads take twice the processor's time, which other tests need. It is a Go program, and
 * collects a quarter as often so, which saves a quarter of its time.
 */
export const COMPILER = { arguments: ['--singleThreaded'], env: { GOGC: '400' } } as const;
