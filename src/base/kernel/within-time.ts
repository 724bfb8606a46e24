/**
 * A signal for as long as some work takes.
 *
 * `AbortSignal.timeout` lives on when the work is over: its timer fires anyway, with an error and an event that are not heard,
 * and joined with another signal by `AbortSignal.any` it is kept until then.
 */

/**
 * Does `work` with a signal that fires after so many milliseconds, or with `outer`.
 *
 * @param outer may be none
 */
export async function withinTime<Result>(
  durationMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  const end = (): void => own.abort(outer?.reason);
  const timer = setTimeout(() => {
    own.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, durationMs).unref();
  if (outer?.aborted === true) end();
  outer?.addEventListener('abort', end);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', end);
  }
}
