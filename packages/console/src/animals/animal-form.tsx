import type { Pet, PetStatus } from 'animal-store-client';
import { required, SelectInput, TextInput, useRecordContext } from 'react-admin';
import { textOf, type RecordOf } from '../api/records';

export type AnimalRecord = RecordOf<Pet>;

export const LABELS = { name: 'Name', categoryId: 'Category', status: 'Status' };

const NEXT: Record<PetStatus, PetStatus[]> = {
  available: ['available', 'pending', 'sold'],
  pending: ['pending', 'available', 'sold'],
  sold: ['sold'],
};

const MAX_INT64 = 2n ** 63n - 1n;

/** What is wrong with a name; undefined: nothing. */
export function nameProblem(value: unknown): string | undefined {
  const name = textOf(value);
  if (name === '') return 'Give the animal a name.';
  if (!name.isWellFormed() || name.includes('\0')) return 'The name has characters that no text can hold.';
  const { length } = Array.from(name);
  return length > 255 ? `At most 255 characters; this has ${String(length)}.` : undefined;
}

/** What is wrong with the number of a category; undefined: nothing. */
export function categoryProblem(value: unknown): string | undefined {
  const text = textOf(value).trim();
  if (text === '') return 'Give the number of the category.';
  if (!/^-?\d+$/.test(text)) return `A category is a whole number; “${text}” is none.`;
  const number = BigInt(text);
  return number > MAX_INT64 || number < -MAX_INT64 - 1n ? 'This number is too large.' : undefined;
}

/** The fields of an animal. */
export function AnimalFields() {
  const animal = useRecordContext<AnimalRecord>();
  const choices = NEXT[animal?.status ?? 'available'].map((id) => ({ id, name: id }));
  const isFinal = animal?.status === 'sold';
  return (
    <>
      <TextInput
        source="name"
        label={LABELS.name}
        validate={nameProblem}
        required
        autoFocus
        parse={(text: string) => text}
      />
      <TextInput
        source="categoryId"
        label={LABELS.categoryId}
        validate={categoryProblem}
        required
        helperText="The number of the category that it belongs to."
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
      />
      <SelectInput
        source="status"
        label={LABELS.status}
        choices={choices}
        defaultValue="available"
        validate={required()}
        readOnly={isFinal}
        helperText={isFinal ? 'Sold is final.' : ' '}
      />
    </>
  );
}
