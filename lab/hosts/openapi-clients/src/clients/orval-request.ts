let shop: { origin: string; headers: Record<string, string> } | undefined;

export function sendTo(origin: string, headers: Record<string, string>): void {
  shop = { origin, headers };
}

/** Sends the requests of orval's functions, which only know paths. */
export async function request<Result>(path: string, options: RequestInit): Promise<Result> {
  if (!shop) throw new Error('Call sendTo() first.');
  const headers = new Headers(options.headers);
  for (const [name, value] of Object.entries(shop.headers)) headers.set(name, value);
  const response = await fetch(shop.origin + path, { ...options, headers });
  const text = await response.text();
  const data: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, data, headers: response.headers } as Result;
}
