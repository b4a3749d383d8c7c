import { type ShippingMethodDto } from 'nestjs-shipping';

/** The language of the labels that are not in `meta`. */
const shopLanguage = 'en';

/** Returns `fr` and `de` for the header `fr-CH, de;q=0.5`. */
export function languagesOf(accepted = ''): string[] {
  return accepted.split(',').map((part) => part.trim().split(/[-;]/)[0]?.toLowerCase() ?? '');
}

/** Returns the method with its labels in the first language that it has. */
export function translated(method: ShippingMethodDto, languages: readonly string[]): ShippingMethodDto {
  const meta = method.meta as { labels?: Record<string, Labels | null> | null };
  const labels = new Map(Object.entries(meta.labels ?? {}));
  const language = languages.find((each) => each === shopLanguage || labels.has(each));
  const { carrier_label, method_label } = labels.get(language ?? shopLanguage) ?? {};
  return {
    ...method,
    carrier_label: typeof carrier_label === 'string' ? carrier_label : method.carrier_label,
    method_label: typeof method_label === 'string' ? method_label : method.method_label,
  };
}

/** The labels in one language. `meta` may have anything in it. */
interface Labels {
  carrier_label?: unknown;
  method_label?: unknown;
}
