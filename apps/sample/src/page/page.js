import * as api from './api.js';
import { Methods } from './methods.js';
import { OrderHistory } from './order-history.js';
import { Component, html, render } from './view.js';

const asked = new URLSearchParams(location.search);

class Page extends Component {
  state = {
    project: asked.get('project') || 'demo',
    order: asked.get('order') || '1001',
    session: 0,
  };

  /** Everything below is made anew, and reads again. */
  open = (change) => {
    this.setState(({ session }) => ({ refusal: undefined, session: session + 1, ...change }));
  };

  setKey = (event) => {
    event.preventDefault();
    api.key.set(new FormData(event.currentTarget).get('key').trim());
    this.open();
  };

  render(_props, { project, order, session, refusal, notice }) {
    history.replaceState(null, '', `?${new URLSearchParams({ project, order })}`);
    const shared = {
      key: session,
      project: api.project(project),
      projectId: project,
      refuse: (problem) => this.setState({ refusal: problem }),
      tell: (text) => this.setState({ notice: text }),
    };
    return html`
      <header class="container-fluid bar">
        <h1>Shipping</h1>
        <label>Project
          <input value=${project} maxlength="64" spellcheck=${false}
            onChange=${(event) => this.open({ project: event.target.value.trim() || 'demo' })} />
        </label>
        <span class="row">
          <a href="/docs">API documentation</a>
          ${api.key.get() && html`<button class="quiet" onClick=${() => this.open(api.key.set(''))}>Forget key</button>`}
        </span>
      </header>
      <main class="container-fluid">
        ${
          refusal
            ? html`<${Refused} problem=${refusal} project=${project} onSubmit=${this.setKey} />`
            : html`<${Methods} ...${shared} />
              <${OrderHistory} ...${shared} key="history ${session}" order=${order}
                onOrder=${(next) => this.setState({ order: next })} />`
        }
      </main>
      <p class="notice" role="status">
        ${
          notice &&
          html`<span>${notice}</span>
          <button class="quiet" aria-label="Close this message" onClick=${() => this.setState({ notice: '' })}>✕</button>`
        }
      </p>`;
  }
}

function Refused({ problem, project, onSubmit }) {
  const isForeign = problem.status === 403;
  const wrong = api.key.get() ? 'This key opens nothing here. Check it for typing errors.' : '';
  return html`<article class="state" role="alert">
    <h2>${isForeign ? `Your key does not open the project “${project}”` : 'This shop asks for an API key'}</h2>
    <p>${isForeign ? 'Choose another project above, or enter a key of this one.' : wrong || 'The person who runs the server (API_KEYS) has one for you. You enter it once; this tab keeps it until you close it.'}</p>
    <form class="row" onSubmit=${onSubmit}>
      <label>API key <input name="key" type="password" required autocomplete="off" pattern="[!-~]+" /></label>
      <button>Open</button>
    </form>
  </article>`;
}

render(html`<${Page} />`, document.body);
