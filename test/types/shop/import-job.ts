import { Inject, Injectable } from '@nestjs/common';
import {
  isShippingError,
  type ShippingMethodChange,
  ShippingMethodsService,
  type UpsertManyOptions,
} from 'nestjs-shipping';

/** A line of a CSV file. An empty column is undefined. */
export interface Line {
  carrier: string;
  method: string;
  label: string;
  active?: boolean;
  kilograms?: number;
}

function textOf({ type, before, after }: ShippingMethodChange): string {
  const { method_label, version } = type === 'removed' ? before : after;
  return `${type} ${method_label}, version ${version}`;
}

@Injectable()
export class ImportJob {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  /** @returns what was changed, or what is wrong with which line */
  async run(
    projectId: string,
    lines: readonly Line[],
    { dryRun }: Pick<UpsertManyOptions, 'dryRun'> = {},
  ): Promise<string[]> {
    const requests = lines.map(({ carrier, method, label, active, kilograms }) => ({
      carrier_code: carrier,
      method_code: method,
      method_label: label,
      is_active: active,
      meta: { max_weight_kg: kilograms },
    }));
    try {
      const options = { removeOthers: true, maxRemoved: 1, dryRun };
      const { changes } = await this.methods.upsertMany(projectId, requests, options);
      return changes.map(textOf);
    } catch (error) {
      if (!isShippingError(error)) throw error;
      if (error.code === 'too_many_removals') return [`${error.wouldRemove} methods are missing`];
      if (error.code !== 'validation_failed') throw error;
      return error.violations.map(({ index = 0, pointer, code }) => {
        const field = pointer?.split('/').at(-1) ?? '';
        return `line ${index + 1}: ${field} ${code}`;
      });
    }
  }

  /** @returns how many methods of a carrier were switched off */
  async switchOff(projectId: string, carrier: string): Promise<number> {
    const { data, meta } = await this.methods.list(projectId, { filter: { carrier_code: carrier } });
    for (const { id, etag } of data) await this.methods.update(projectId, id, { is_active: false }, { etag });
    return meta.total;
  }
}
