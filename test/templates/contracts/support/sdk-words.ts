/** Reads words out of a provider's SDK that stand in its comments or in types that cannot be listed. */
import { readFileSync } from 'node:fs';

/** The literal members of a union that also takes any other text. */
export type Known<Text> = Text extends string ? (string extends Text ? never : Text) : never;

const MODULES = new URL('../../../../node_modules/', import.meta.url);

/** The declarations of one file of an SDK. */
export function declarationsOf(file: string): string {
  return readFileSync(new URL(file, MODULES), 'utf8');
}

/** The words between backticks of the first sentence that begins like this. */
export function wordsInSentence(declarations: string, beginning: string): string[] {
  const start = declarations.indexOf(beginning);
  if (start === -1) throw new Error(`No sentence begins with "${beginning}".`);
  const sentence = /^[^.]*\.[^.]*\./.exec(declarations.slice(start))?.[0] ?? '';
  return [...sentence.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
}

/** The members of the largest union of this name. */
export function unionOf(declarations: string, name: string): Set<string> {
  const unions = [...declarations.matchAll(new RegExp(`type ${name} = ([^;]+);`, 'g'))].map(
    ([, union = '']) => [...union.matchAll(/'(\w+)'/g)].map(([, word = '']) => word),
  );
  return new Set(unions.toSorted((a, b) => b.length - a.length)[0]);
}
