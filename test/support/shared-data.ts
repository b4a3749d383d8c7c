import { existsSync, readFileSync } from 'node:fs';

const folder = new URL('../../../shared/data/', import.meta.url);

/** Real methods and event kinds, kept beside the checkout where the maintainers work; a user's clone has none. */
export const hasSharedData = existsSync(folder);

export interface RealMethod {
  carrier_code: string;
  carrier_label: string;
  method_code: string;
  method_label: string;
  meta: Record<string, unknown>;
}

export interface RealEvent {
  type_in_source: string;
  source: string;
  normalised: string;
  meaning: string;
}

export function realMethods(): RealMethod[] {
  return read<RealMethod[]>('carriers.json');
}

export function realEvents(): RealEvent[] {
  return read<RealEvent[]>('order-events.json');
}

function read<Content>(name: string): Content {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Content;
}
