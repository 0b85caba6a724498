import { lazy } from 'react';
import { may } from '../session/session';
import { AnimalCreate, AnimalEdit } from './animal-edit';
import { AnimalList } from './animal-list';
import { AnimalView } from './animal-view';

const AnimalImport = lazy(() => import('./import/animal-import'));

export const animalViews = {
  resource: () => ({
    list: AnimalList,
    show: AnimalView,
    ...(may('manage') && { edit: AnimalEdit, create: AnimalCreate }),
    recordRepresentation: 'name',
  }),
  routes: [{ path: '/animals/import', element: <AnimalImport /> }],
};
