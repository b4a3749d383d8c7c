import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  NotFoundException,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshProject } from '../support/client.js';
import { isInstalled, Operator, place } from './operator.js';
import { pageHost, type PageHost } from './page-host.js';

interface Request {
  method: string;
  url: string;
  headers: Record<string, string | undefined>;
}

/** What the guards have seen. */
let requests: Request[] = [];

/** A session and a CSRF token, both in cookies. */
class CookieGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    requests.push(request);
    const { cookie = '', ...headers } = request.headers;
    if (!cookie.includes('session=sam')) throw new UnauthorizedException();
    if (/\/other\/|\/secret\/events/.test(request.url)) throw new ForbiddenException();
    return request.method === 'GET' || ['a b=c', '100%=='].includes(headers['x-xsrf-token'] ?? '');
  }
}

class BearerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    requests.push(request);
    const token = request.headers['authorization'];
    if (token !== 'Bearer secret-token') throw new UnauthorizedException();
    if (request.url.includes('/other/')) throw new ForbiddenException();
    // Such a backend does not say which projects exist.
    if (/\/(hidden|default)\//.test(request.url)) throw new NotFoundException();
    return true;
  }
}

describe.skipIf(!isInstalled)(`the login of the page${place}`, () => {
  let operator: Operator;
  beforeEach(() => {
    requests = [];
  });
  afterEach(() => operator?.close());

  describe('with cookies', () => {
    const csrf = { cookie: 'XSRF-TOKEN', header: 'X-XSRF-TOKEN' };
    const mounts = [{ http: { decorators: [UseGuards(CookieGuard)] } }];
    let host: PageHost;
    beforeAll(async () => {
      host = await pageHost({ page: { csrf, signInUrl: '/login?next={page}' }, mounts });
    });
    afterAll(() => host?.close());

    /** Signs in as a login page of the host would. */
    async function signIn(csrfToken = 'a%20b%3Dc'): Promise<void> {
      const url = host.origin;
      await operator.page.context().addCookies([
        { name: 'session', value: 'sam', url, httpOnly: true },
        { name: 'XSRF-TOKEN', value: csrfToken, url },
      ]);
    }

    it('says that the user must sign in, and works after that', async () => {
      operator = await Operator.at(`${host.origin}/shipping?project=acme`);
      await operator.alert('Sign in, for instance in another tab, and try again.');
      expect(await operator.accessibilityFaults()).toEqual([]);

      await signIn();
      await operator.button('Try again').click();

      await operator.text('“acme” has no shipping methods yet').waitFor();
      expect(operator.errors).toEqual([]);
    });

    it('sends the CSRF token of the cookie with each change, and with nothing else', async () => {
      operator = await Operator.at('about:blank');
      await signIn();
      await operator.page.goto(`${host.origin}/shipping?project=${freshProject()}`);
      await operator.button('Add a method').click();
      await operator.fillIn({ 'Carrier code': 'ups', 'Method code': '03', Name: 'UPS Ground' });
      await operator.button('Save').click();
      await operator.notice('“UPS Ground” is saved.');
      await operator.toggle('UPS Ground').click();
      await operator.notice('“UPS Ground” is off');

      const tokens = requests.map(({ method, headers }) => `${method} ${headers['x-xsrf-token']}`);
      expect(new Set(tokens)).toEqual(new Set(['GET undefined', 'POST a b=c', 'PATCH a b=c']));
      expect(operator.errors).toEqual([]);
    });

    it('sends a CSRF token that is not percent-encoded as it is', async () => {
      operator = await Operator.at('about:blank');
      await signIn('100%==');
      await operator.page.goto(`${host.origin}/shipping?project=${freshProject()}`);
      await operator.button('Add a method').click();
      await operator.fillIn({ 'Carrier code': 'ups', 'Method code': '03', Name: 'UPS Ground' });

      await operator.button('Save').click();

      await operator.notice('“UPS Ground” is saved.');
      expect(operator.errors).toEqual([]);
    });

    it('leads to the login page of the host, which leads back to the same view', async () => {
      operator = await Operator.at(`${host.origin}/shipping?project=acme&order=1`);

      const link = operator.page.getByRole('link', { name: 'Sign in' });
      await link.waitFor();

      const address = new URL((await link.getAttribute('href')) ?? '', host.origin);
      expect([address.pathname, address.searchParams.get('next')]).toEqual([
        '/login',
        '/shipping?project=acme&order=1',
      ]);
      expect(await operator.accessibilityFaults()).toEqual([]);
    });

    it('shows the methods to a user who may not read histories', async () => {
      operator = await Operator.at('about:blank');
      await signIn();

      await operator.page.goto(`${host.origin}/shipping?project=acme&order=secret`);

      await operator.alert('You may not do this in the project “acme”.');
      await operator.text('“acme” has no shipping methods yet').waitFor();
      expect(operator.errors).toEqual([]);
    });

    it('says that the session has ended, and keeps what the user has typed', async () => {
      operator = await Operator.at('about:blank');
      await signIn();
      await operator.page.goto(`${host.origin}/shipping?project=${freshProject()}`);
      await operator.button('Add a method').click();
      await operator.fillIn({ 'Carrier code': 'ups', 'Method code': '03', Name: 'UPS Ground' });
      await operator.page.context().clearCookies();

      await operator.button('Save').click();
      await operator.alert('You are not signed in.');
      expect(await operator.page.getByRole('link', { name: 'Sign in' }).getAttribute('target')).toBe(
        '_blank',
      );
      await signIn();
      await operator.button('Save').click();

      await operator.notice('“UPS Ground” is saved.');
      expect(operator.errors).toEqual([]);
    });

    it('says that the user may not see a project, and offers the others', async () => {
      const projects = () => [
        { id: 'acme', label: 'Acme shop' },
        { id: 'other', label: 'Other <b>shop</b>' },
      ];
      const choosing = await pageHost({ page: { csrf, projects }, mounts });
      operator = await Operator.at('about:blank');
      await signIn();
      await operator.page.goto(`${choosing.origin}/shipping`);
      await operator.text('“acme” has no shipping methods yet').waitFor();
      await operator.field('Project').press('ArrowDown');
      expect(operator.page.url()).not.toContain('project=');
      const isInert = () => operator.page.locator('main').evaluate((list: { inert?: boolean }) => list.inert);
      expect(await isInert()).toBe(true);
      expect(await operator.page.locator('form:has([name=order])').getAttribute('inert')).toBe('');
      await operator.field('Project').press('ArrowUp');
      expect(await isInert()).toBe(false);
      await operator.field('Project').press('ArrowDown');
      await operator.field('Project').press('Enter');

      await operator.alert('You may not do this in the project “other”.');
      await operator.field('Project').selectOption('Acme shop');
      await operator.button('Open').click();
      await operator.text('“acme” has no shipping methods yet').waitFor();

      await operator.page.goBack();
      await operator.alert('You may not do this in the project “other”.');
      expect(await operator.field('Project').inputValue()).toBe('other');
      expect(operator.errors).toEqual([]);
      await choosing.close();
    });

    it('takes a redirect to a login page for a session that has ended', async () => {
      operator = await Operator.at('about:blank');
      await operator.page.route('**/sales/**', (route) =>
        route.fulfill({ status: 302, headers: { location: '/login' } }),
      );

      await operator.page.goto(`${host.origin}/shipping?project=acme`);
      await operator.alert('You are not signed in.');

      expect(operator.errors).toEqual([]);
    });
  });

  describe('with a token', () => {
    let host: PageHost;
    beforeAll(async () => {
      const mounts = [{ http: { decorators: [UseGuards(BearerGuard)] } }];
      host = await pageHost({ page: { login: 'bearer' }, mounts });
    });
    afterAll(() => host?.close());

    it('is asked for once in a tab, and the token goes nowhere but into the header', async () => {
      const output: string[] = [];
      operator = await Operator.at(`${host.origin}/shipping?project=acme`);
      operator.page.on('console', (message) => output.push(message.text()));
      operator.page.on('request', (request) => output.push(request.url()));
      await operator.alert('You are not signed in.');
      expect(await operator.accessibilityFaults()).toEqual([]);
      await operator.field('Access token').fill('wrong');
      await operator.button('Open').last().click();
      await operator.alert('The server does not accept this token.');
      await operator.field('Access token').fill('secret-token');
      await operator.button('Open').last().click();
      await operator.text('“acme” has no shipping methods yet').waitFor();
      await operator.page.reload();
      await operator.text('“acme” has no shipping methods yet').waitFor();

      const otherTab = await operator.page.context().newPage();
      await otherTab.goto(operator.page.url());
      await otherTab.getByText('You are not signed in.').waitFor();
      const stored = await operator.page.evaluate<string>(
        'JSON.stringify({ ...localStorage }) + document.cookie',
      );
      expect(stored).toBe('{}');
      expect(output.concat(operator.page.url(), operator.errors).join(' ')).not.toContain('secret-token');
      expect(requests.every(({ url, headers }) => !url.includes('secret') && !headers['cookie'])).toBe(true);
      expect(requests.some(({ headers }) => headers['authorization'] === 'Bearer secret-token')).toBe(true);
    });

    const signIn = async (project: string): Promise<void> => {
      operator = await Operator.at(`${host.origin}/shipping?project=${project}`);
      await operator.field('Access token').fill('secret-token');
      await operator.button('Open').last().click();
    };

    it('says that the token does not open another project, and takes another token', async () => {
      await signIn('other');

      await operator.alert('You may not do this in the project “other”.');
      await operator.button('Use another token').click();
      await operator.field('Access token').waitFor();
      expect(operator.errors).toEqual([]);
    });

    it('takes a 404 of a guard that hides projects for a refusal, and asks for the defaults once', async () => {
      await signIn('hidden');

      await operator.alert('The server does not know this address, or you may not use it.');
      await operator.text('Choose another project, or ask the person who gives the permissions.').waitFor();
      await operator.button('Use another token').waitFor();

      requests = [];
      await operator.page.goto(`${host.origin}/shipping?project=${freshProject()}`);
      await operator.button('Add a method').click();
      await operator.fillIn({ 'Carrier code': 'ups', 'Method code': '03', Name: 'UPS Ground' });
      await operator.button('Save').click();
      await operator.notice('“UPS Ground” is saved.');
      await operator.toggle('UPS Ground').click();
      await operator.notice('“UPS Ground” is off');
      expect(requests.filter(({ url }) => url.includes('/default/'))).toHaveLength(1);
    });

    it('asks for the token before a project, and takes it with "Bearer" and with blanks', async () => {
      operator = await Operator.at(`${host.origin}/shipping`);
      await operator.alert('You are not signed in.');
      expect(requests).toEqual([]);

      await operator.field('Access token').fill('  Bearer secret-token ');
      await operator.button('Open').last().click();
      await operator.alert('Open a project');
      await operator.field('Project').fill('acme');
      await operator.button('Open').click();

      await operator.text('“acme” has no shipping methods yet').waitFor();
    });

    it('is not taken for a project', async () => {
      operator = await Operator.at(`${host.origin}/shipping?project=acme`);
      const addresses: string[] = [];
      operator.page.on('request', (request) => addresses.push(request.url()));

      for (const token of ['eyJhbGciOiJIUzI1NiJ9.e30.c2ln', 'Bearer secret-token', 't'.repeat(65)]) {
        await operator.field('Project').fill(token);
        await operator.button('Open').first().click();
        expect([token, await operator.page.locator('input[name=project]:invalid').count()]).toEqual([
          token,
          1,
        ]);
      }

      expect([operator.page.url(), addresses]).toEqual([`${host.origin}/shipping?project=acme`, []]);
    });

    it('is handed over by the admin of the host in the fragment, which the page removes', async () => {
      operator = await Operator.at('about:blank');

      await operator.page.goto(`${host.origin}/shipping?project=acme#token=Bearer%20secret-token`);
      await operator.text('“acme” has no shipping methods yet').waitFor();
      expect(operator.page.url()).toBe(`${host.origin}/shipping?project=acme`);
      await operator.page.evaluate('location.hash = "token=other"');

      await operator.alert('The server does not accept this token.');
      expect(operator.page.url()).toBe(`${host.origin}/shipping?project=acme`);
    });
  });
});
