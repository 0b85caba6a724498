import { SelectArrayInput, TextInput } from 'react-admin';
import { EVENT_TYPES, LABELS } from './webhook-record';

const addressProblem = (value: unknown) => {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') return 'Say where events are to be sent.';
  return URL.canParse(text) ? undefined : 'An address such as https://partner.example/hooks.';
};

/** The fields of a webhook. */
export const WebhookFields = () => (
  <>
    <TextInput
      source="url"
      label={LABELS.url}
      validate={addressProblem}
      parse={(text: string) => text.trim()}
      required
      autoFocus
      helperText="A public https address that answers 2xx within 15 seconds."
      slotProps={{
        htmlInput: { inputMode: 'url', autoComplete: 'off', spellCheck: false, maxLength: 2_048 },
      }}
    />
    <SelectArrayInput
      source="types"
      label={LABELS.types}
      choices={EVENT_TYPES.map((id) => ({ id, name: id }))}
      format={(types: unknown) => types ?? []}
      parse={(types: unknown[]) => (types.length === 0 ? null : types)}
      helperText="None chosen: all that the key sees."
    />
  </>
);
