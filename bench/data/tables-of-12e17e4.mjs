// For `--against` with a build of 12e17e4 or older. The tables of such a build have columns that were removed later.

const columns = `SELECT 1 FROM information_schema.columns WHERE column_name = 'search_text'`;

async function areOld({ columnDefaults }, connection) {
  // Only PostgreSQL can be compared.
  return columnDefaults.includes('now()') && (await connection.query(columns)).length > 0;
}

export async function prepareOldTables(database, connection) {
  if (!(await areOld(database, connection))) return;
  await connection.query(`ALTER TABLE shipping_project ALTER methods SET DEFAULT 0, ALTER followers SET DEFAULT 0;
    CREATE FUNCTION fold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.search_text := lower(concat_ws(E'\\n', NEW.carrier_code, NEW.method_code, NEW.carrier_label, NEW.method_label));
      RETURN NEW; END $$;
    CREATE TRIGGER fold BEFORE INSERT ON shipping_method FOR EACH ROW EXECUTE FUNCTION fold()`);
}

export async function finishOldTables(database, connection) {
  if (!(await areOld(database, connection))) return;
  await connection.query(`DROP TRIGGER fold ON shipping_method;
    UPDATE shipping_project AS p SET methods = (SELECT count(*) FROM shipping_method AS m WHERE m.project_id = p.project_id)`);
}
