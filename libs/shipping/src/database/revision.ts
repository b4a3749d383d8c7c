// The row of a project, raised in the statement that writes its methods, looked up by what reads them.

const clockMicroseconds = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
const nextRevision = `GREATEST(p.revision + 1, ${clockMicroseconds})`;

/**
 * A CTE that raises the row of the project of the one method in the CTE `sent`, or makes it, before that is
 * inserted: the lock it takes comes first in every writer, so that two of them cannot wait for each other.
 */
export function raiseForInsert(projects: string): string {
  return `project AS (
    INSERT INTO ${projects} AS p (project_id, revision, methods, followers)
    SELECT project_id, ${clockMicroseconds}, 1, use_default::integer FROM sent
    ON CONFLICT (project_id) DO UPDATE
    SET revision = ${nextRevision}, methods = p.methods + 1, followers = p.followers + EXCLUDED.followers
    RETURNING p.project_id
  )`;
}

/** A CTE that takes the lock of the project's row, for statements that may in the end change nothing. */
export function lockProject(projects: string, project: string): string {
  return `project AS (SELECT project_id FROM ${projects} WHERE project_id = ${project} FOR UPDATE)`;
}

/**
 * A CTE that raises the rows of the projects of the methods that the CTE `changed` holds, whose column
 * `follows` says how many more with `use_default` there are by each. The rows are locked already.
 * @param methods how many more there are by each of them
 */
export function raise(projects: string, methods: -1 | 0 | 1): string {
  return `raised AS (
    UPDATE ${projects} AS p
    SET revision = ${nextRevision}, methods = p.methods + c.methods, followers = p.followers + c.follows
    FROM (
      SELECT project_id, ${methods} * count(*) AS methods, sum(follows) AS follows FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM changed))
  )`;
}

/**
 * The validator of what a project shows: another word after each change of it, the methods of the defaults
 * project included as long as one of its own follows them. `p` is the project's row, `d` that of the defaults.
 */
export const validator = `concat_ws('.', '1', COALESCE(p.revision, 0), CASE WHEN p.followers > 0 THEN COALESCE(d.revision, 0) END)`;

/** The validator of a project that has never had a method, and has no row. */
export const neverWritten = '1.0';
