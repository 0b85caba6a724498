import { Skeleton } from '@mui/material';
import type { Key, Pet } from 'animal-store-client';
import { useReference, type Identifier } from 'react-admin';
import type { RecordOf } from '../api/records';
import { may, me } from '../session/session';

const waiting = <Skeleton variant="text" width={80} sx={{ display: 'inline-block' }} />;

/** The name of an animal; its number where it is gone. */
export function useAnimalName(id: Identifier): string | undefined {
  const { referenceRecord, isPending } = useReference<RecordOf<Pet>>({ reference: 'animals', id });
  if (isPending) return undefined;
  return referenceRecord?.name ?? `Animal ${String(id)} (deleted)`;
}

export function AnimalName({ id }: { id: Identifier }) {
  return useAnimalName(id) ?? waiting;
}

/** The partner whose key placed an order: by name where the key that is signed in may read keys. */
export function PartnerName({ keyId }: { keyId: string }) {
  if (keyId === me().id) return <>You</>;
  return may('admin') ? <NameOfKey keyId={keyId} /> : <span title={keyId}>Key {keyId.slice(0, 8)}</span>;
}

function NameOfKey({ keyId }: { keyId: string }) {
  const { referenceRecord, isPending } = useReference<RecordOf<Key>>({ reference: 'keys', id: keyId });
  if (isPending) return waiting;
  return <span title={keyId}>{referenceRecord?.name ?? `Key ${keyId.slice(0, 8)}`}</span>;
}
