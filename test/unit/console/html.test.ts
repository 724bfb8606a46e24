/** Guarantee: no string from outside becomes markup, whatever it holds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html } from '../../../src/base/kernel/html.ts';

describe('html', () => {
  it('escapes text and attribute values', () => {
    const text = `<img src=x onerror="a('b')">&`;
    expect(html`<p title="${text}">${text}</p>`.toString()).toBe(
      '<p title="&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;">&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;</p>',
    );
  });

  it('keeps nested templates and joins lists', () => {
    expect(html`<ul>${['a', '<b>'].map((item) => html`<li>${item}</li>`)}</ul>`.toString()).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul>',
    );
  });

  it('lets no text turn round what stands around it', () => {
    const issuer = '\u202Emoc.kniht \u2067x\u2069';
    expect(html`<p>${issuer} asks for ${['$29.00']}</p>`.toString()).toBe(
      '<p>\uFFFDmoc.kniht \uFFFDx\uFFFD asks for $29.00</p>',
    );
    expect(html`<p title="a > b"><input value="${issuer}"></p>`.toString()).toContain(issuer);
    // Arabic is right-to-left by itself.
    expect(html`<p>${'متجر'}</p>`.toString()).toBe('<p>متجر</p>');
  });

  it('shows nothing for null, undefined and false, and 0 for 0', () => {
    expect(html`[${null}${undefined}${false}${0}]`.toString()).toBe('[0]');
  });

  it('does not take an object that looks like markup for markup', () => {
    const forged = { toString: () => '<script>' } as never;
    expect(() => html`${forged}`.toString()).toThrow(TypeError);
  });

  it('lets no character through that opens a tag or closes an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // In a form: what comes back from it is what stood there.
        const inside = html`<input value="${text}">`.toString().slice('<input value="'.length, -2);
        expect(inside).not.toMatch(/[<>"']/);
        const back = inside
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&');
        expect(back).toBe(text);
      }),
    );
  });
});
