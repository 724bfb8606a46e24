/** The two pages above the versions: the list of them, and the way to the newest. */

/** Newest first. */
function sorted(versions: readonly string[]): readonly string[] {
  const byNumber = new Intl.Collator('en', { numeric: true });
  return [...versions].sort((a, b) => byNumber.compare(b, a));
}

/** Lists every version whose pages are there. */
export function versionsPage(versions: readonly string[]): string {
  const items = sorted(versions).map((name, place) => {
    const newest = place === 0 ? ' (newest)' : '';
    return `<li><a href="./${name}/index.html">${name}</a>${newest}</li>`;
  });
  return page('Versions', `<h1>Forestall: versions</h1>\n<ul>\n${items.join('\n')}\n</ul>`);
}

/** Leads to the newest version. */
export function indexPage(versions: readonly string[]): string {
  const [newest = ''] = sorted(versions);
  const link = `<p><a href="./${newest}/index.html">Forestall ${newest}</a></p>`;
  return page(
    'Forestall',
    link,
    `<meta http-equiv="refresh" content="0; url=./${newest}/index.html">`,
  );
}

function page(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}
<style>body { font: 1rem/1.6 system-ui, sans-serif; margin: 3rem auto; max-width: 40rem; padding: 0 1rem; }</style>
</head>
<body>
${body}
</body>
</html>
`;
}
