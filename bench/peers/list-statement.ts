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

/** The statement of the service for these filters (docs/decisions/0044-plain-indexes.md), with the columns of the peer. */
export function listStatement(columns: string, { status, categoryId, limit, after }: ListQuery): Statement {
  const select = `select ${columns} from pets where`;
  if (status !== undefined && categoryId !== undefined)
    return {
      name: 'list-category-status',
      text: `${select} (category_id, status, id) > ($1, $2, $3) and (category_id, status) <= ($1, $2) order by category_id, status, id limit $4`,
      values: [categoryId, status, after, limit],
    };
  if (status !== undefined)
    return {
      name: 'list-status',
      text: `${select} (status, id) > ($1, $2) and status <= $1 order by status, id limit $3`,
      values: [status, after, limit],
    };
  if (categoryId !== undefined)
    return {
      name: 'list-category',
      text: `${select} (category_id, id) > ($1, $2) and category_id <= $1 order by category_id, id limit $3`,
      values: [categoryId, after, limit],
    };
  return { name: 'list', text: `${select} id > $1 order by id limit $2`, values: [after, limit] };
}
