import { saidCount } from './said-count.ts';

/** `1 order`, `2 orders`, `12,345 orders`. */
export function counted(count: number, one: string): string {
  return `${saidCount(count)} ${one}${count === 1 ? '' : 's'}`;
}
