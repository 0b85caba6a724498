import { Stack } from '@mui/material';
import { Show, Title, useRecordContext } from 'react-admin';
import { BackLink } from '../shared/back-link';
import { DetailProblem } from '../shared/detail-problem';
import { Facts, Section } from '../shared/section';
import { StatusChip } from '../shared/status-chip';
import type { AnimalRecord } from './animal-form';
import { OrderAnimalButton } from './order-animal-button';

/** One animal, for a key that does not manage animals. */
export const AnimalView = () => (
  <Show
    actions={<BackLink to="/animals">All animals</BackLink>}
    title={false}
    component="div"
    error={<DetailProblem />}
    queryOptions={{ onError: () => undefined }}
  >
    <AnimalDetails />
  </Show>
);

function AnimalDetails() {
  const animal = useRecordContext<AnimalRecord>();
  if (!animal) return null;
  const { id, name, categoryId, status } = animal;
  return (
    <>
      <Title title={name} />
      <Section title={name} actions={<StatusChip status={status} />} maxWidth={720}>
        <Facts
          facts={[
            ['Number', id],
            ['Category', categoryId],
          ]}
        />
        <Stack sx={{ mt: 2, alignItems: 'flex-start', '&:empty': { display: 'none' } }}>
          <OrderAnimalButton animal={animal} />
        </Stack>
      </Section>
    </>
  );
}
