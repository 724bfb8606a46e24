/** The draft as a document of its own: no script, nothing that is loaded, readable on paper. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Sentence } from './claim.ts';
import type { Pack } from './pack.ts';
import { keyOf, numbersOf, rowWords } from './pack.ts';

export function draftHtml(pack: Pack): string {
  const { title, sections, cited, contentHash } = pack;
  const body = html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>body{font:11pt/1.5 Helvetica,Arial,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.4rem 0 .2rem}p{margin:.2rem 0;overflow-wrap:anywhere}sup a{color:#245;text-decoration:none}footer,ol{font-size:.85rem;overflow-wrap:anywhere}</style></head><body>
<h1>${title}</h1>${sections.map(
    ({ heading, sentences }) => html`
<h2>${heading}</h2>${sentences.map((sentence) => said(pack, sentence))}`,
  )}
<h2>Records</h2><ol>${cited.map((row, index) => html`<li id="row-${index + 1}">${rowWords(row)}</li>`)}</ol>
<footer>Draft ${contentHash}</footer></body></html>`;
  return `<!doctype html>\n${body.toString()}\n`;
}

function said(pack: Pack, sentence: Sentence): Html {
  const numbers = numbersOf(pack, sentence);
  return html`
<p class="said">${sentence.text}${sentence.cites.map((row, index) => html` <sup><a href="#row-${numbers[index]}" data-row="${keyOf(row)}">[${numbers[index]}]</a></sup>`)}</p>`;
}
