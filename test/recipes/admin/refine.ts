import { ApiError, type Method, type ShippingApi } from './shipping-api.js';

interface Filter {
  field: string;
  operator: string;
  value: unknown;
}

interface ListParams {
  pagination?: { currentPage?: number; pageSize?: number };
  filters?: readonly Filter[];
}

/** The operators of refine that have another name here. `eq`, `ne`, `in`, `nin`, `lt`, `between` and others are the same. */
const operators: Record<string, string> = { startswith: 'starts' };

/** refine shows `errors` at the fields of a form. */
function forForm(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw Object.assign(error, { statusCode: error.status, errors: error.fields });
}

export function refineProvider(api: ShippingApi) {
  return {
    getApiUrl: () => api.url,
    /** The order is that of the API: leave sorters out. */
    async getList({ pagination, filters = [] }: ListParams) {
      const { currentPage = 1, pageSize = 20 } = pagination ?? {};
      const words = filters.find(({ field }) => field === 'q')?.value;
      const raw = filters
        .filter(({ field, value }) => field !== 'q' && value !== undefined && value !== '')
        .map(({ field, operator, value }) => ({ field, op: operators[operator] ?? operator, value }));
      const query = {
        page: currentPage,
        per_page: pageSize,
        q: typeof words === 'string' ? words : '',
        raw_filters: JSON.stringify(raw),
      };
      const { data, meta } = await api.list(query);
      return { data, total: meta.total };
    },
    async getOne({ id }: { id: string }) {
      return { data: await api.find(id) };
    },
    async getMany({ ids }: { ids: string[] }) {
      const { data } = await api.list({ per_page: 100, filter: JSON.stringify({ id: ids }) });
      return { data };
    },
    async create({ variables }: { variables: object }) {
      return { data: await api.create(variables).catch(forForm) };
    },
    /** A form gives the `etag` that it has loaded: `useForm({ mutationMeta: { etag: query.data?.data.etag } })`. */
    async update({ id, variables, meta }: { id: string; variables: object; meta?: { etag?: string } }) {
      const current = await api.find(id);
      return { data: await api.update(current, variables, meta?.etag ?? current.etag).catch(forForm) };
    },
    /** A DELETE answers 204 without a body, and refine wants the record. */
    async deleteOne({ id, meta }: { id: string; meta?: { etag?: string } }) {
      const removed: Method = await api.find(id);
      await api.remove(id, meta?.etag);
      return { data: removed };
    },
  };
}
