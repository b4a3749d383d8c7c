import { ApiError, type Method, type ShippingApi } from './shipping-api.js';

/** What a form may change. */
const editable = [
  'carrier_code',
  'carrier_label',
  'method_code',
  'method_label',
  'is_active',
  'sort_order',
  'meta',
  'use_default',
] as const;

interface ListParams {
  pagination?: { page: number; perPage: number };
  filter?: Record<string, unknown>;
}

interface UpdateParams {
  id: string;
  data: Partial<Method>;
  /** The method as the form has loaded it. */
  previousData: Method;
}

/** react-admin shows `body.errors` at the fields of a form whose `mutationMode` is `pessimistic`. */
function forForm(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw Object.assign(error, { body: { errors: error.fields } });
}

export function reactAdminProvider(api: ShippingApi) {
  const update = async ({ id, data, previousData }: UpdateParams) => {
    const changed = editable.filter(
      (name) => JSON.stringify(data[name]) !== JSON.stringify(previousData[name]),
    );
    const values = Object.fromEntries(changed.map((name) => [name, data[name] ?? null]));
    return { data: await api.update({ ...previousData, id }, values, previousData.etag).catch(forForm) };
  };
  return {
    /** The order is that of the API: give the columns of the list `sortable={false}`. */
    async getList(_resource: string, { pagination, filter = {} }: ListParams) {
      const { page = 1, perPage = 20 } = pagination ?? {};
      const { q = '', ...equal } = filter;
      const query = { page, per_page: perPage, q: String(q), filter: JSON.stringify(equal) };
      const { data, meta } = await api.list(query);
      return { data, total: meta.total };
    },
    async getOne(_resource: string, { id }: { id: string }) {
      return { data: await api.find(id) };
    },
    async getMany(_resource: string, { ids }: { ids: string[] }) {
      const { data } = await api.list({ per_page: 100, filter: JSON.stringify({ id: ids }) });
      return { data };
    },
    getManyReference: () => Promise.reject(new Error('No resource belongs to a method.')),
    async create(_resource: string, { data }: { data: object }) {
      return { data: await api.create(data).catch(forForm) };
    },
    update: (_resource: string, params: UpdateParams) => update(params),
    async updateMany(_resource: string, { ids, data }: { ids: string[]; data: Partial<Method> }) {
      for (const id of ids) {
        const previousData = await api.find(id);
        await update({ id, data: { ...previousData, ...data }, previousData });
      }
      return { data: ids };
    },
    /** A DELETE answers 204 without a body, and react-admin wants the record. */
    async delete(_resource: string, { id, previousData }: { id: string; previousData?: Method }) {
      await api.remove(id, previousData?.etag);
      return { data: { ...previousData, id } };
    },
    async deleteMany(_resource: string, { ids }: { ids: string[] }) {
      for (const id of ids) await api.remove(id);
      return { data: ids };
    },
  };
}
