import { type HttpRequest, sentUrl } from '../http/request.js';
import { assets } from './assets.generated.js';
import { type PageRoutes } from './page-routes.js';
import { type PageProject, type PageSettings } from './page.options.js';

/** The page in the browser knows this about its host. `browser/settings.ts` reads it. */
export interface BrowserSettings
  extends PageRoutes, Pick<PageSettings, 'login' | 'signInUrl' | 'csrf' | 'texts'> {
  projects: readonly PageProject[] | undefined;
}

export function pageHtml(
  request: HttpRequest,
  { login, signInUrl, csrf, texts }: PageSettings,
  routes: PageRoutes,
  projects: readonly PageProject[] | undefined,
): string {
  const browserSettings: BrowserSettings = {
    ...routes,
    login,
    signInUrl,
    csrf,
    texts,
    projects: projects?.map(({ id, label }) => ({ id, label })),
  };
  // The browser resolves an address from the last slash, and the page may have been asked for with or without a final
  // one.
  const [path = ''] = sentUrl(request).split('?', 1);
  const segment = path.slice(path.lastIndexOf('/') + 1);
  const folder = escaped(segment && `${segment}/`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="shipping-page" content="${escaped(JSON.stringify(browserSettings))}" />
    <title>Shipping</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="./${folder}assets/${assets.style.name}" />
    <script type="module" src="./${folder}assets/${assets.script.name}"></script>
  </head>
  <body>
    <div id="page"><noscript>This page needs JavaScript.</noscript></div>
    <output class="container-fluid"></output>
  </body>
</html>
`;
}

/** Escapes a text for an attribute in double quotes. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
