import { apiKey, projectId } from './api.js';
import { Methods } from './methods.js';
import { OrderHistory } from './order-history.js';
import { html, render, formValues } from './view.js';

const main = document.querySelector('main');
const projectInput = document.querySelector('[name=project]');
projectInput.value = projectId;
projectInput.addEventListener('change', () => {
  location.search = new URLSearchParams({ project: projectInput.value.trim() });
});

function enterKey(event) {
  sessionStorage.setItem('api-key', formValues(event).key.trim());
  location.reload();
}

/** Shows the refusal in place of all sections, because all of them use the same key. */
function refuse(status) {
  const start = apiKey
    ? 'The server does not know this key. Check it for typing errors.'
    : 'Ask the person who runs the server for a key.';
  const isForeign = status === 403;
  const refusal = html`
    <article class="state" role="alert">
      <h2>${isForeign ? `Your key does not open the project “${projectId}”` : 'This shop asks for an API key'}</h2>
      <p>${isForeign ? 'Choose another project above, or enter a key for this project.' : start}</p>
      <form class="row" onSubmit=${enterKey}>
        <label>API key <input name="key" type="password" required autocomplete="off" pattern="[!-~]+" /></label>
        <button>Open</button>
      </form>
    </article>`;
  render(refusal, main);
}

render(html`<${Methods} refuse=${refuse} /><${OrderHistory} refuse=${refuse} />`, main);
