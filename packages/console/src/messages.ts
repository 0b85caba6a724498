import polyglotI18nProvider from 'ra-i18n-polyglot';
import englishMessages from 'ra-language-english';

const { ra } = englishMessages;

/** react-admin's own texts, where the console says it in other words. */
const messages = {
  ...englishMessages,
  ra: {
    ...ra,
    action: { ...ra.action, add_filter: 'Filters', back: 'Back' },
    auth: { ...ra.auth, logout: 'Sign out' },
    message: { ...ra.message, invalid_form: 'Not saved: see the fields in red.' },
    page: {
      ...ra.page,
      list: '%{name}',
      error: 'This view has failed',
    },
    notification: { ...ra.notification, offline: 'The service cannot be reached.' },
    navigation: {
      ...ra.navigation,
      no_filtered_results: 'Nothing matches these filters.',
      no_results: 'Nothing here yet.',
      partial_page_range_info: '%{offsetBegin}–%{offsetEnd}, and more follow',
      page_range_info: '%{offsetBegin}–%{offsetEnd} of %{total}',
    },
    validation: {
      ...ra.validation,
      required: 'Fill this in.',
      minValue: 'At least %{min}.',
      maxValue: 'At most %{max}.',
      number: 'A number.',
    },
  },
  resources: {
    orders: { name: 'Order |||| Orders', empty: 'No orders yet', invite: '' },
    animals: { name: 'Animal |||| Animals' },
    keys: { name: 'Key |||| Keys' },
    webhooks: { name: 'Webhook |||| Webhooks' },
  },
};

export const i18nProvider = polyglotI18nProvider(() => messages, 'en', [{ locale: 'en', name: 'English' }], {
  allowMissing: true,
});
