import { identifierPattern } from '../../validation/text.js';
import { settings } from './settings.js';

/** Tells whether a project or an order may have this id. Any other text, such as `..`, would lead to another address. */
export const isId = (text: string): boolean => identifierPattern.test(text);

/** The parameters of the address: `project`, and perhaps `order` with `kind`, and filters. */
export const address = new URLSearchParams(location.search);

/** Changes the address, so that the user can load the page again, or send a link to it. */
export function putIntoAddress(values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value) address.set(name, value);
    else address.delete(name);
  }
  history.replaceState(null, '', `?${address}`);
}

/** The project that the page shows: the first one of the user, if the address has none. */
export const projectId = address.get('project') ?? settings.projects?.[0]?.id ?? '';
/** Whether this is the project whose methods are the defaults of the others. */
export const isDefaults = projectId === settings.defaults;
