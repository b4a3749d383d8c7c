// The row of a project, raised in the statement that writes its methods, looked up by what reads them.

const clockMicroseconds = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
const nextRevision = `GREATEST(p.revision + 1, ${clockMicroseconds})`;

/**
 * A CTE that raises the project's row, or makes it, before its first method is inserted: the lock it takes
 * comes first in every writer, so that two of them cannot wait for each other.
 */
export function raiseForInsert(projects: string, project: string, useDefault: string): string {
  return `project AS (
    INSERT INTO ${projects} AS p (project_id, revision, methods, followers)
    VALUES (${project}, ${clockMicroseconds}, 1, ${useDefault}::boolean::integer)
    ON CONFLICT (project_id) DO UPDATE
    SET revision = ${nextRevision}, methods = p.methods + 1, followers = p.followers + EXCLUDED.followers
    RETURNING p.project_id
  )`;
}

/**
 * A CTE that raises the rows of the projects of the methods that the CTE `changed` holds, all of them in the
 * CTE `project`, where they are locked.
 */
export function raiseForInserts(projects: string): string {
  return `raised AS (
    UPDATE ${projects} AS p
    SET revision = ${nextRevision}, methods = p.methods + c.methods, followers = p.followers + c.followers
    FROM (
      SELECT project_id, count(*) AS methods, count(*) FILTER (WHERE use_default) AS followers
      FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM project))
  )`;
}

/** A CTE that takes the lock of the project's row, for statements that may in the end change nothing. */
export function lockProject(projects: string, project: string): string {
  return `project AS (SELECT project_id FROM ${projects} WHERE project_id = ${project} FOR UPDATE)`;
}

/** A CTE that raises the project's row for the methods that the CTE `changed` holds. */
export function raiseForChange(projects: string, methods: string, followers: string): string {
  return `raised AS (
    UPDATE ${projects} AS p
    SET revision = ${nextRevision}, methods = p.methods + (${methods}), followers = p.followers + (${followers})
    FROM changed WHERE p.project_id = changed.project_id
  )`;
}

/**
 * The validator of what a project shows: another word after each change of it, the methods of the defaults
 * project included as long as one of its own follows them. `p` is the project's row, `d` that of the defaults.
 */
export const validator = `concat_ws('.', '1', COALESCE(p.revision, 0), CASE WHEN p.followers > 0 THEN COALESCE(d.revision, 0) END)`;

/** The validator of a project that has never had a method, and has no row. */
export const neverWritten = '1.0';
