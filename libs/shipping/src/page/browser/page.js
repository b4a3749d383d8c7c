import { isId, keepToken, projectId, token } from './api.js';
import { Methods } from './methods.js';
import { OrderHistory } from './order-history.js';
import { direction, language, settings, t } from './settings.js';
import { Component, formValues, html, render } from './view.js';

const takesToken = settings.login === 'bearer';
/** The browser refuses what looks like a token. So a token that is pasted here never gets into the address. */
const idPattern = `\\s*${takesToken ? '(?!eyJ)' : ''}[A-Za-z0-9_][A-Za-z0-9_.:\\-]{0,63}\\s*`;
const idTitle = `${t('invalid_id')} ${takesToken ? t('no_token_here') : ''}`;

function openProject(event) {
  place.inert = true;
  // The order and the filters belong to the project.
  location.search = new URLSearchParams({ project: formValues(event).project.trim() });
}

function enterToken(event) {
  keepToken(formValues(event).token);
  location.reload();
}

class Page extends Component {
  refuse = (problem) => this.setState({ problem });

  render(_props, { problem }) {
    return html`
      <header class="container-fluid bar">
        <h1>${t('title')}</h1>
        <form class="bar" onSubmit=${openProject}>
          <label>${t('project')} ${settings.projects ? this.projects() : this.project()}</label>
          <button class="outline">${t('open')}</button>
        </form>
      </header>
      <main class="container-fluid">${this.content(problem)}</main>`;
  }

  projects() {
    const option = ({ id, label }) => html`<option key=${id} value=${id} selected=${id === projectId}>${label}</option>`;
    const isListed = settings.projects.some(({ id }) => id === projectId);
    return html`
      <select name="project" autocomplete="off">
        ${!isListed && option({ id: projectId, label: projectId })} ${settings.projects.map(option)}
      </select>`;
  }

  project() {
    return html`
      <input name="project" defaultValue=${projectId} required pattern=${idPattern} title=${idTitle} autocomplete="off" spellcheck=${false} />`;
  }

  content(problem) {
    if (takesToken && !token) return this.error({ status: 401, message: t('status_401') });
    if (projectId === '') return this.notice(t('choose_project'), t('choose_project_hint'));
    if (!isId(projectId)) return this.notice(t('choose_project'), t('invalid_id'));
    if (problem) return this.error(problem);
    return html`<${OrderHistory} refuse=${this.refuse} /><${Methods} refuse=${this.refuse} />`;
  }

  /** Without a login, no section works. */
  error({ status, message }) {
    if (!takesToken) {
      const again = html`<button onClick=${() => location.reload()}>${t('try_again')}</button>`;
      return this.notice(message, t(`status_${status}_hint`), html`${this.signIn()} ${again}`);
    }
    const form = html`
      <form class="row" onSubmit=${enterToken}>
        <label>${t('token')} <input name="token" type="password" required autocomplete="off" pattern="\\s*([Bb]earer\\s+)?[!-~]+\\s*" /></label>
        <button>${t('open')}</button> ${this.signIn()}
      </form>
      <small>${t('token_hint')}</small>`;
    return this.notice(message, status === 403 ? t('status_403_hint') : token && t('token_unknown'), form);
  }

  /** Leads to the login page of the backend, and from there back to this view. */
  signIn() {
    const page = encodeURIComponent(location.pathname + location.search);
    return settings.signInUrl && html`<a href=${settings.signInUrl.replace('{page}', page)}>${t('sign_in')}</a>`;
  }

  notice(title, hint, action) {
    return html`<article class="state" role="alert"><h2>${title}</h2>${hint && html`<p>${hint}</p>`}${action}</article>`;
  }
}

Object.assign(document.documentElement, { lang: language, dir: direction });
document.title = t('title');
const place = document.querySelector('#page');
place.replaceChildren();
render(html`<${Page} />`, place);
addEventListener('hashchange', () => location.hash.startsWith('#token=') && location.reload());
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
