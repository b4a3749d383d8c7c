import { isDefaults } from './address.js';
import { plural, t } from './settings.js';
import { closeDialog, Component, Dialog, formValues, html } from './view.js';

/** Moves a method to a place that is far away or not shown, or without a drag. */
export function MoveDialog({ method, place, count, move, onClose }) {
  const moveTo = (event) => {
    const wanted = Number(formValues(event).place);
    closeDialog();
    move(method.id, () => wanted);
  };
  return html`
    <${Dialog} title=${t('move_title', { label: method.method_label })} onClose=${onClose}>
      <form onSubmit=${moveTo}>
        <label>${t('place_of', { count })} <input name="place" type="number" min="1" max=${count} required defaultValue=${place} /></label>
        <footer>
          <button>${t('move_there')}</button>
          <button type="button" class="secondary outline" onClick=${closeDialog}>${t('cancel')}</button>
        </footer>
      </form>
    <//>`;
}

/** Asks before a method is removed. If something still uses the method, it offers to switch the method off. */
export function RemoveDialog({ method, isUsed, isSent, remove, toggle, onClose }) {
  const { id, method_label: label, is_active } = method;
  const question = isDefaults ? `remove_shared${is_active ? '' : '_off'}` : 'remove_text';
  const text = isUsed ? `${t('problem_method_in_use')} ${t('in_use_text')}` : t(question);
  const switchOff = () => {
    closeDialog();
    toggle(id, false);
  };
  return html`
    <${Dialog} title=${t(isUsed ? 'in_use_title' : 'remove_title', { label })} onClose=${onClose}>
      <p role=${isUsed && 'alert'}>${text}</p>
      <footer>
        <button class=${!isUsed && 'danger'} hidden=${isUsed && !is_active} disabled=${isSent}
          onClick=${isUsed ? switchOff : () => remove(method)}>
          ${t(isUsed ? 'make_inactive' : 'remove')}
        </button>
        <button class="secondary outline" autofocus onClick=${closeDialog}>${t('cancel')}</button>
      </footer>
    <//>`;
}

const literally = (text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** Replaces a text in the names of methods, and shows the new names before. */
export class ReplaceDialog extends Component {
  state = { find: this.props.find, by: '' };
  type = ({ target }) => this.setState({ [target.name]: target.value });
  /** Enter must not take a text out of the names because the new one is not typed yet. */
  keyed = (event) => event.key === 'Enter' && event.target.matches('input') && this.state.by === '' && event.preventDefault();

  render({ methods, replace, onClose }, { find, by }) {
    // "Expres" becomes "Express", but an "Express" stays.
    const rest = by.toLowerCase().startsWith(find.toLowerCase()) ? by.slice(find.length) : '';
    const found = new RegExp(literally(find) + (rest && `(?!${literally(rest)})`), 'gi');
    const named = (method) => [method, method.method_label.replace(found, () => by)];
    const isNew = ([{ method_label }, label]) => label !== method_label && label.trim() !== '';
    const changes = find === '' ? [] : methods.map(named).filter(isNew);
    const inherited = changes.filter(([method]) => method.inherited.includes('method_label')).length;
    const save = (event) => {
      formValues(event);
      closeDialog();
      // The button that has opened the dialog may go. In the search, Ctrl+Z would not take back the replacement.
      document.querySelector(`[data-id='${changes[0][0].id}'] .name`)?.focus();
      replace(changes);
    };
    const preview = ([{ id, method_label }, label]) =>
      html`<li key=${id}><s dir="auto">${method_label}</s> <b dir="auto">${label}</b></li>`;
    return html`
      <${Dialog} title=${t('replace_in')} onClose=${onClose}>
        <form onSubmit=${save}>
          <div class="row" onInput=${this.type} onKeyDown=${this.keyed}>
            <label>${t('find')} <input name="find" dir="auto" value=${find} required autocomplete="off" /></label>
            <label>${t('replace_by')} <input name="by" dir="auto" value=${by} autofocus=${this.props.find !== ''} autocomplete="off" /></label>
          </div>
          <footer>
            <button disabled=${changes.length === 0}>${t('replace')}</button>
            <button type="button" class="secondary outline" onClick=${closeDialog}>${t('cancel')}</button>
          </footer>
          <p role="status">${plural('replaced', changes.length)} ${inherited > 0 && plural('become_own', inherited)}</p>
          <ul class="preview">${changes.map(preview)}</ul>
        </form>
      <//>`;
  }
}
