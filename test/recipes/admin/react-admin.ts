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

/** The fields that a form may change and that the user has changed. `previousData` is what the user has seen. */
export function changesOf(data: Partial<Method>, previousData: Partial<Method> = {}): Partial<Method> {
  const changed = editable.filter(
    (name) => data[name] !== undefined && JSON.stringify(data[name]) !== JSON.stringify(previousData[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, data[name]]));
}

/** react-admin shows `body.errors` at the fields of a form whose `mutationMode` is `pessimistic`. */
function forForm(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw Object.assign(error, { body: { errors: error.fields } });
}

export function reactAdminProvider(api: ShippingApi) {
  const update = async ({ id, data, previousData }: UpdateParams) => {
    const changes = changesOf(data, previousData);
    return { data: await api.update({ ...previousData, id }, changes, previousData.etag).catch(forForm) };
  };
  return {
    /** The API has one order, and `sort` is ignored. */
    async getList(_resource: string, { pagination, filter = {} }: ListParams) {
      const { page = 1, perPage = 20 } = pagination ?? {};
      const { q = '', ...equal } = filter;
      const query = { per_page: Math.min(perPage, 100), q: String(q), filter: JSON.stringify(equal) };
      const { data, meta } = await api.list({ ...query, page });
      // The buttons "Export" and "Select all" ask for one page of 1,000 and of 250. The API gives 100 at once.
      for (let next = 2; (next - 1) * 100 < Math.min(perPage, meta.total); next++)
        data.push(...(await api.list({ ...query, page: next })).data);
      return { data: data.slice(0, perPage), total: meta.total };
    },
    async getOne(_resource: string, { id }: { id: string }) {
      return { data: await api.find(id) };
    },
    async getMany(_resource: string, { ids }: { ids: string[] }) {
      const { data } = await api.list({ per_page: 100, filter: JSON.stringify({ id: ids }) });
      return { data };
    },
    getManyReference: () => Promise.reject(new Error('No resource belongs to a method.')),
    /** A method that the user clones has fields that the API does not take. */
    async create(_resource: string, { data }: { data: Partial<Method> }) {
      return { data: await api.create(changesOf(data)).catch(forForm) };
    },
    update: (_resource: string, params: UpdateParams) => update(params),
    async updateMany(_resource: string, { ids, data }: { ids: string[]; data: Partial<Method> }) {
      for (const id of ids) await update({ id, data, previousData: await api.find(id) });
      return { data: ids };
    },
    /** A DELETE responds with 204, without a body, and react-admin wants the record. */
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
