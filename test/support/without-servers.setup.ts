/** Says what a run without `TEST_DATABASE_URLS` leaves out. */
export default function setup(): void {
  if (process.env['TEST_DATABASE_URLS']) return;
  console.log('Without TEST_DATABASE_URLS, no test runs on a server or on SQLite: see CONTRIBUTING.md.');
}
