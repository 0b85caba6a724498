import { FormDataConsumer, NumberInput, SelectInput, TextInput, required } from 'react-admin';
import { Box } from '@mui/material';
import { ACCESS_WORDS, LABELS, PLAN_WORDS } from './key-record';
import { EndInput } from './end-input';

const MAX_LIMIT = 2_147_483_647;
const MAX_CHARACTERS = 255;

const textProblem = (isRequired: boolean) => (value: unknown) => {
  const text = typeof value === 'string' ? value : '';
  if (text === '') return isRequired ? 'Say whose key it is.' : undefined;
  const { length } = Array.from(text);
  if (length > MAX_CHARACTERS)
    return `At most ${String(MAX_CHARACTERS)} characters; this has ${String(length)}.`;
  return /\p{Cc}/u.test(text) ? 'Characters that cannot be seen are not allowed.' : undefined;
};
const nameProblem = textProblem(true);
const referenceProblem = textProblem(false);

const limitProblem = (value: unknown) => {
  if (value === null || value === undefined || value === '') return 'The enterprise plan takes a limit.';
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) return 'A whole number from 1 up.';
  return number > MAX_LIMIT ? 'This number is too large.' : undefined;
};

const choicesOf = (words: Record<string, string>, without: string[] = []) =>
  Object.entries(words)
    .filter(([id]) => !without.includes(id))
    .map(([id, text]) => ({ id, name: `${id}: ${text}` }));

/** The fields of a key. */
export const KeyFields = () => (
  <>
    <TextInput source="name" label={LABELS.name} validate={nameProblem} required autoFocus />
    <TextInput
      source="reference"
      label={LABELS.reference}
      validate={referenceProblem}
      parse={(text: string) => (text === '' ? null : text)}
      helperText="Your own id of the partner, if you have one."
    />
    <SelectInput
      source="access"
      label={LABELS.access}
      choices={choicesOf(ACCESS_WORDS, ['admin'])}
      validate={required()}
      helperText="What the key may do."
    />
    <SelectInput
      source="plan"
      label={LABELS.plan}
      choices={choicesOf(PLAN_WORDS)}
      validate={required()}
      helperText="How often it may do it."
    />
    <FormDataConsumer>
      {({ formData }) =>
        (formData as { plan?: string }).plan === 'enterprise' && (
          <Box sx={{ display: 'grid', gap: 2, width: '100%', gridTemplateColumns: { sm: '1fr 1fr' } }}>
            <NumberInput
              source="perMinute"
              label={LABELS.perMinute}
              validate={limitProblem}
              required
              min={1}
            />
            <NumberInput source="perDay" label={LABELS.perDay} validate={limitProblem} required min={1} />
          </Box>
        )
      }
    </FormDataConsumer>
    <EndInput />
  </>
);
