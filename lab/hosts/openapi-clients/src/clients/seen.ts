/** Where a client finds the shop. */
export interface Shop {
  origin: string;
  project: string;
  orderId: string;
  headers: Record<string, string>;
}

/** The results of a client's calls, read with its generated types. */
export interface Seen {
  created: string | null;
  /** Whether the error of a second create names the id of the created method. */
  isRefusedByName: boolean;
  listed: string[];
  carriers: string[];
  /** The version after the update. */
  updated: number;
  /** The current version in the error of an outdated `If-Match`. */
  outdated: number | null;
  deleted: number;
  events: string[];
}
