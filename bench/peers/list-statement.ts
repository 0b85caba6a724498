/** A named statement with its values. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

/** The query of listPets as the peers take it: plain ids instead of cursors. */
export interface ListQuery {
  status?: string;
  categoryId?: string;
  limit: string;
  after: string;
}

/**
 * The statement of the service for these filters (docs/decisions/0044-plain-indexes.md), with the columns of the peer. The text contains the
 * limit, because the planner expects an unknown one to be a tenth of all rows.
 */
export function listStatement(columns: string, query: ListQuery): Statement {
  const { status, categoryId, after } = query;
  const limit = Number(query.limit);
  const select = `select ${columns} from pets where`;
  if (status !== undefined && categoryId !== undefined)
    return {
      name: `list-category-status-${limit}`,
      text: `${select} (category_id, status, id) > ($1, $2, $3) and (category_id, status) <= ($1, $2) order by category_id, status, id limit ${limit}`,
      values: [categoryId, status, after],
    };
  if (status !== undefined)
    return {
      name: `list-status-${limit}`,
      text: `${select} (status, id) > ($1, $2) and status <= $1 order by status, id limit ${limit}`,
      values: [status, after],
    };
  if (categoryId !== undefined)
    return {
      name: `list-category-${limit}`,
      text: `${select} (category_id, id) > ($1, $2) and category_id <= $1 order by category_id, id limit ${limit}`,
      values: [categoryId, after],
    };
  return { name: `list-${limit}`, text: `${select} id > $1 order by id limit ${limit}`, values: [after] };
}
