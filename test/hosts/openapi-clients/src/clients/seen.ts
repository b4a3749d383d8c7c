/** Where a client finds the shop. */
export interface Shop {
  origin: string;
  project: string;
  orderId: string;
  headers: Record<string, string>;
}

/** What the calls of a client gave back, read by the types that were generated for it. */
export interface Seen {
  created: string | null;
  /** The id that the refusal of a second create names: whether it is that of the method that was created. */
  isRefusedByName: boolean;
  listed: string[];
  carriers: string[];
  /** The version. */
  updated: number;
  /** The version that an update with an outdated `If-Match` is told. */
  outdated: number | null;
  deleted: number;
  events: string[];
}
