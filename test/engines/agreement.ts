import { type DataSource } from 'typeorm';

/** The spike has no counts. */
export async function expectWhole(_dataSource: DataSource, _project: string): Promise<void> {}
