import { identifierPattern } from '../../validation/text.js';
import { address, isId, projectId, putIntoAddress } from './address.js';
import { keepToken, token } from './api.js';
import { Methods } from './methods.js';
import { OrderHistory } from './order-history.js';
import { direction, language, settings, t } from './settings.js';
import { Component, formValues, html, render, SignIn } from './view.js';

const takesToken = settings.login === 'bearer';
/** The browser adds the anchors of an attribute `pattern`, and compiles it with the flag `v`, which refuses a bare hyphen. */
const idPattern = identifierPattern.source.slice(1, -1).replace('-]', '\\-]');
/** The browser refuses what looks like a token. So a token that is pasted here never gets into the address. */
const projectPattern = `\\s*${takesToken ? '(?!eyJ)' : ''}${idPattern}\\s*`;
const idTitle = `${t('invalid_id')} ${takesToken ? t('no_token_here') : ''}`;

function openProject(event) {
  container.inert = true;
  // The order and the other filters belong to the project.
  const status = address.get('status');
  location.search = new URLSearchParams({ project: formValues(event).project.trim(), ...(status && { status }) });
}

/** Enter opens the chosen project, which not every browser does by itself. The arrow keys only choose one. */
function openByEnter(event) {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  event.currentTarget.form.requestSubmit();
}

function enterToken(event) {
  keepToken(formValues(event).token);
  location.reload();
}

class Page extends Component {
  state = { order: address.get('order') };
  refuse = (problem) => this.setState({ problem });
  /** The same order can be asked for again. */
  ask = (order, done) => {
    putIntoAddress({ order, kind: '' });
    this.setState({ order, asked: performance.now() }, done);
  };
  /** While the header has another project, the list and the histories must not look like those of that project. */
  watchProject = ({ target }) => this.setState({ isOtherProject: target.value.trim() !== projectId });
  closeHistory = () => this.ask('', () => document.querySelector('[name=order]').focus());

  render(_props, { isOtherProject }) {
    const obstacle = this.obstacle();
    return html`
      <header class="container-fluid bar">
        <h1>${t('title')}</h1>
        <form onSubmit=${openProject} onInput=${this.watchProject}>
          <label>${t('project')} ${settings.projects ? this.projectChoice() : this.projectField()}</label>
          <button hidden=${projectId !== '' && !isOtherProject}>${t('open')}</button>
        </form>
        ${!obstacle && this.orderForm()}
      </header>
      <main class="container-fluid" inert=${isOtherProject && !obstacle}>${obstacle ?? this.sections()}</main>`;
  }

  orderForm({ order, isOtherProject } = this.state) {
    return html`
      <form inert=${isOtherProject} onSubmit=${(event) => this.ask(formValues(event).order.trim(), () => document.querySelector('#history').focus())}>
        <label>
          ${t('order')}
          <input key=${order} name="order" dir="auto" defaultValue=${order} required maxlength="64" autocomplete="off" spellcheck=${false} />
        </label>
        <button class="secondary outline">${t('show')}</button>
      </form>`;
  }

  sections({ order, asked } = this.state) {
    const { refuse, closeHistory: close } = this;
    return html`
      ${order && html`<${OrderHistory} key=${asked} ...${{ order, refuse, close }} />`}
      <${Methods} key="methods" refuse=${refuse} />`;
  }

  projectChoice() {
    const option = ({ id, label }) => html`<option key=${id} value=${id} selected=${id === projectId}>${label}</option>`;
    const isListed = settings.projects.some(({ id }) => id === projectId);
    return html`
      <select name="project" autocomplete="off" onKeyDown=${openByEnter}>
        ${!isListed && option({ id: projectId, label: projectId })} ${settings.projects.map(option)}
      </select>`;
  }

  projectField() {
    return html`
      <input name="project" defaultValue=${projectId} required pattern=${projectPattern} title=${idTitle} autocomplete="off" spellcheck=${false} />`;
  }

  /** Returns why the page cannot show the project, if it cannot. */
  obstacle({ problem } = this.state) {
    if (takesToken && !token) return this.error({ status: 401, message: t('status_401') });
    if (projectId === '') return this.notice(t('choose_project'), t('choose_project_hint'));
    if (!isId(projectId)) return this.notice(t('choose_project'), t('invalid_id'));
    return problem && this.error(problem);
  }

  /** Without a login, no section works. */
  error({ status, message }) {
    if (!takesToken) {
      const again = html`<button onClick=${() => location.reload()}>${t('try_again')}</button>`;
      return this.notice(message, t(`status_${status}_hint`), html`<${SignIn} /> ${again}`);
    }
    const form = html`
      <form class="row" onSubmit=${enterToken}>
        <label>${t('token')} <input name="token" type="password" required autocomplete="off" pattern="\\s*([Bb]earer\\s+)?[!-~]+\\s*" /></label>
        <button>${t('open')}</button> <${SignIn} />
      </form>
      <small>${t('token_hint')}</small>`;
    return this.notice(message, status === 403 ? t('status_403_hint') : token && t('token_unknown'), form);
  }

  notice(title, hint, action) {
    return html`<article class="state" role="alert"><h2>${title}</h2>${hint && html`<p>${hint}</p>`}${action}</article>`;
  }
}

Object.assign(document.documentElement, { lang: language, dir: direction });
const projectLabel = settings.projects?.find(({ id }) => id === projectId)?.label ?? projectId;
document.title = [projectLabel, t('title')].filter(Boolean).join(' – ');
const container = document.querySelector('#page');
container.replaceChildren();
render(html`<${Page} />`, container);
addEventListener('hashchange', () => location.hash.startsWith('#token=') && location.reload());
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
