/**
 * Exit statuses: 0 done, 1 the thing asked about is wrong, 2 usage or settings; of a command that compares with the service,
 * 2 is: there are changes, and every failure 1.
 */
export const EXIT = { done: 0, wrong: 1, usage: 2, changes: 2 } as const;
