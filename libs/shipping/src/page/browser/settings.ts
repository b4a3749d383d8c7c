import { type BrowserSettings } from '../page-html.js';
import { english, pageTexts } from './texts.js';

type Texts = Record<string, string | undefined>;
/** These values stand in a text in the place of its names in braces. */
type Values = Record<string, unknown>;

const meta = document.querySelector('meta[name=shipping-page]') as HTMLMetaElement;
/** The server has written these into the page. */
export const settings = JSON.parse(meta.content) as BrowserSettings;

/** The address of the page as a folder. The script is in its folder `assets`, whatever prefix a proxy adds. */
export const root = new URL('..', import.meta.url);

const tables: Record<string, Texts> = { ...pageTexts };
for (const [tag, ofHost] of Object.entries(settings.texts))
  tables[tag] = { ...english, ...tables[tag], ...ofHost };

const tableOf = (tag: string): Texts | undefined => tables[tag] ?? tables[tag.replace(/-.*/, '')];
/**
 * The language of the user for which there are texts, such as `en-GB`. Chromium may name one that is no language tag.
 */
export const language = navigator.languages.find((tag) => /^[a-z\d-]+$/i.test(tag) && tableOf(tag)) ?? 'en';
const texts: Texts = tableOf(language) ?? english;

/** Not every browser knows the direction of a language. */
export const direction = /^(ar|ckb|dv|fa|he|ks|ps|sd|ug|ur|yi)\b/.test(language) ? 'rtl' : 'ltr';

/** A value of the other direction would move the punctuation beside it, so it gets invisible marks of an isolate. */
const isolated = (value: string): string =>
  direction === 'rtl' || /[\u0590-\u08FF\uFB1D-\uFEFC]/.test(value) ? `\u2068${value}\u2069` : value;

/**
 * Returns a text of the page, or undefined if there is none. Names in braces are replaced with the values. A text that
 * is left out of a language from right to left is English, and keeps its direction.
 */
export function t(name: string, values?: Values): string | undefined {
  const all: Values = { defaults: settings.defaults, ...values };
  const text = texts[name]?.replace(/\{(\w+)\}/g, (_, key: string) => isolated(String(all[key] ?? '')));
  return text && direction === 'rtl' && texts[name] === (english as Texts)[name]
    ? `\u2066${text}\u2069`
    : text;
}

const rules = new Intl.PluralRules(language);
/** Returns the text for this number of things. A text such as `count_one` has another form of the noun. */
export function plural(name: string, count: number, values?: Values): string | undefined {
  const all = { count, ...values };
  return t(`${name}_${rules.select(count)}`, all) ?? t(name, all);
}
