import { KeyCreate } from './key-create';
import { KeyEdit } from './key-edit';
import { KeyList } from './key-list';
import { KeyView } from './key-view';

export const keyViews = {
  resource: () => ({
    list: KeyList,
    show: KeyView,
    edit: KeyEdit,
    create: KeyCreate,
    recordRepresentation: 'name',
  }),
};
