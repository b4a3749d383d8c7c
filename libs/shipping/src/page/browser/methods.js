import * as api from './api.js';
import { MethodForm } from './method-form.js';
import { MethodTable } from './method-table.js';
import { settings, t } from './settings.js';
import { closeDialog, Dialog, html, Section, notify, formValues } from './view.js';

const perPage = Math.min(25, settings.maxPageSize);

const isFixed = ({ inherited }) => inherited.includes('sort_order');

/**
 * Returns the methods whose sort order changes, with their new numbers. The moved method gets the first number
 * after the method above it. The methods below it get higher numbers, as far as necessary.
 */
function renumbered(methods, moved) {
  let least = Math.min(...methods.map((method, index) => method.sort_order - (isFixed(method) ? index : 0)));
  const numbers = methods.map((method, index) => {
    const isFree = !isFixed(method) && (index === 0 || method === moved);
    const number = isFree ? least : Math.max(least, method.sort_order);
    least = number + 1;
    return [method, number];
  });
  return numbers.filter(([method, number]) => number !== method.sort_order);
}

export class Methods extends Section {
  state = { page: 1, filters: {} };
  moves = Promise.resolve();

  async read({ page, filters } = this.state) {
    const [tree, found] = await Promise.all([api.tree(), api.list({ page, per_page: perPage, ...filters })]);
    if (page > 1 && found.data.length === 0) return this.read({ page: Math.max(1, found.meta.total_pages), filters });
    return { tree, found, isFiltered: Object.keys(filters).length > 0 };
  }

  show = (page, filters) => this.setState({ page, filters }, this.load);
  filter = (event) => this.show(1, Object.fromEntries(Object.entries(formValues(event)).filter(([, value]) => value !== '')));

  /** Tells whether a write has succeeded, and then loads the list again. */
  async write(writing, success, text) {
    const failure = (problem) => (problem.code === 'version_mismatch' ? t('list_conflict') : api.failureOf(problem, text));
    notify(await writing.then(() => success, failure));
    await this.load();
  }

  toggle = ({ id }, isActive) => {
    closeDialog();
    return (this.moves = this.moves.then(() => this.toggleNow(id, isActive)));
  };

  /** Somebody else may have done the same since the click. */
  toggleNow(id, is_active) {
    const method = this.state.tree.flatMap(({ methods }) => methods).find((each) => each.id === id);
    if (!method || method.is_active === is_active) return;
    const writing = api.update(method, { is_active });
    const success = is_active ? 'is_active_now' : 'is_inactive_now';
    return this.write(writing, t(success, { label: method.method_label }));
  }

  remove = async (method) => {
    const dialog = document.querySelector('dialog');
    this.setState({ removing: { ...method, isSent: true } });
    const removing = api.remove(method);
    const code = await removing.catch((problem) => problem.code);
    if (code === 'method_in_use' && dialog.open) return this.setState({ removing: { ...method, isUsed: true } });
    if (dialog.open) {
      dialog.close();
      document.querySelector('#methods').focus();
    }
    await this.write(removing, t('is_removed', { label: method.method_label }));
  };

  /** A user may press keys faster than the server responds, so moves run one after another. */
  move = ({ id }, steps) => (this.moves = this.moves.then(() => this.moveNow(id, steps)));

  async moveNow(id, steps) {
    const { tree } = this.state;
    const carrier = tree.find(({ methods }) => methods.some((method) => method.id === id));
    if (!carrier) return;
    const from = carrier.methods.findIndex((method) => method.id === id);
    const to = Math.max(0, Math.min(from + steps, carrier.methods.length - 1));
    if (to === from) return;
    const moved = carrier.methods[from];
    const methods = carrier.methods.toSpliced(from, 1).toSpliced(to, 0, moved);
    const numbers = renumbered(methods, moved);
    const label = moved.method_label;
    if (numbers.some(([method]) => isFixed(method))) return notify(t('stays', { label }));
    const focus = () => document.querySelector(`[data-id="${id}"] .handle`)?.focus();
    this.setState({ tree: tree.with(tree.indexOf(carrier), { ...carrier, methods }) }, focus);
    const save = async () => {
      for (const [index, [method, sort_order]] of numbers.entries()) {
        if (index > 0 && index % 10 === 0) notify(t('moving', { done: index, count: numbers.length }));
        await api.update(method, { sort_order });
      }
    };
    const place = { label, place: to + 1, count: methods.length, carrier: carrier.carrier_label };
    await this.write(save(), t('is_moved', place), 'stopped');
  }

  edit = (editing) => this.setState({ editing });
  askToRemove = (removing) => this.setState({ removing });
  /** A new method comes last. */
  add = () => {
    const orders = this.state.tree.flatMap(({ methods }) => methods.map(({ sort_order }) => sort_order));
    this.edit({ sort_order: Math.max(0, ...orders) + 10 });
  };

  render(_props, { tree, problem, editing, removing }) {
    const option = ({ carrier_code: code, carrier_label }) => html`<option key=${code} value=${code}>${carrier_label}</option>`;
    const form = { method: editing, open: this.edit, saved: this.load, onClose: () => this.edit() };
    return html`
      <section aria-labelledby="methods">
        <div class="bar">
          <h2 id="methods" tabindex="-1">${t('methods')}</h2>
          <button disabled=${!tree} onClick=${this.add}>${t('add')}</button>
        </div>
        <form class="row" id="filters" autocomplete="off" onInput=${this.filter} onSubmit=${this.filter}>
          <input name="q" type="search" maxlength="100" aria-label=${t('search')} placeholder=${t('search')} />
          <select name="filter[carrier_code]" aria-label=${t('carrier')}>
            <option value="">${t('all_carriers')}</option> ${tree?.map(option)}
          </select>
          <select name="filter[is_active]" aria-label=${t('activity')}>
            <option value="">${t('all_activities')}</option>
            <option value="true">${t('active')}</option>
            <option value="false">${t('inactive')}</option>
          </select>
        </form>
        ${(problem || !tree) && this.waiting()}
        ${tree && this.page()}
        <datalist id="carriers">${tree?.map(option)}</datalist>
        ${editing && html`<${MethodForm} key="${editing.id} ${editing.etag}" ...${form} />`}
        ${removing && this.removal(removing)}
      </section>`;
  }

  page({ tree, found, filters, isFiltered } = this.state) {
    const { page, total, total_pages: pages } = found.meta;
    const turnTo = (next) => () => this.show(next, filters);
    if (found.data.length === 0) {
      return html`
        <div class="state">
          <h3>${isFiltered ? t('no_match') : t('no_methods', { project: api.projectId })}</h3>
          <button type="reset" form="filters" hidden=${!isFiltered} onClick=${() => this.show(1, {})}>${t('show_all')}</button>
        </div>`;
    }
    const shown = new Set(found.data.map(({ id }) => id));
    const { toggle, edit, move, askToRemove: remove } = this;
    return html`
      <${MethodTable} ...${{ tree, shown, total, isFiltered, toggle, edit, move, remove }} />
      <nav aria-label=${t('pages')} hidden=${pages <= 1}>
        <button class="outline" disabled=${page <= 1} onClick=${turnTo(page - 1)}>${t('previous')}</button>
        ${t('page', { page, pages })}
        <button class="outline" disabled=${page >= pages} onClick=${turnTo(page + 1)}>${t('next')}</button>
      </nav>`;
  }

  removal(method) {
    const { method_label: label, isUsed } = method;
    const text = isUsed ? `${t('problem_method_in_use')} ${t('in_use_text')}` : t('remove_text');
    const act = isUsed ? () => this.toggle(method, false) : () => this.remove(method);
    return html`
      <${Dialog} title=${t(isUsed ? 'in_use_title' : 'remove_title', { label })} onClose=${() => this.askToRemove()}>
        <p>${text}</p>
        ${!isUsed && api.projectId === settings.defaults && html`<p>${t('remove_shared')}</p>`}
        <footer>
          <button class="secondary" onClick=${closeDialog}>${t('keep')}</button>
          <button class=${!isUsed && 'danger'} hidden=${isUsed && !method.is_active} disabled=${method.isSent} onClick=${act}>
            ${t(isUsed ? 'make_inactive' : 'remove')}
          </button>
        </footer>
      <//>`;
  }
}
