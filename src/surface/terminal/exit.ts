/** Exit statuses: 0 done, 1 the thing asked about is wrong, 2 usage or settings. */
export const EXIT = { done: 0, wrong: 1, usage: 2 } as const;
