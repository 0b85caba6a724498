'use strict';

{
  /** The console keeps the key under the same name: it is entered once for a tab, and gone when the tab closes. */
  const KEY_ITEM = 'animal-store.key';
  const SCHEME = 'apiKey';
  const UNKNOWN = 'The store does not know this key: it is mistyped, has expired or was revoked.';
  const TIMEOUT_MS = 10_000;

  /**
   * Takes a key only when the service does, shows whose it is, and keeps it for this tab. Swagger UI itself takes any text, and its
   * `persistAuthorization` keeps a key in the browser for good.
   */
  const CheckedKey = () => ({
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (original, system) => async (credentials) => {
            const entered = credentials[SCHEME];
            const key = keyIn(entered?.value ?? '');
            system.errActions.clear({ authId: SCHEME });
            const { holder, refusal, isUnknown } = await checked(key, system);
            if (holder) {
              sessionStorage.setItem(KEY_ITEM, key);
              return original({ [SCHEME]: { ...entered, value: key, holder } });
            }
            if (isUnknown) sessionStorage.removeItem(KEY_ITEM);
            // Not `error`: Swagger UI shows errors on the page too, below the dialog.
            return system.errActions.newAuthErr({
              authId: SCHEME,
              level: 'warning',
              source: 'auth',
              message: refusal,
            });
          },
          logout: (original) => (schemes) => {
            sessionStorage.removeItem(KEY_ITEM);
            return original(schemes);
          },
        },
      },
    },
    wrapComponents: {
      HttpAuth: (Original, system) => (props) =>
        system.React.createElement(
          'div',
          null,
          system.React.createElement(Original, props),
          holderOf(system, 'p', 'This key is '),
        ),
      authorizeBtn: (Original, system) => (props) =>
        system.React.createElement(
          'div',
          { className: 'key' },
          holderOf(system, 'span', ''),
          system.React.createElement(Original, props),
        ),
      authError:
        (_Original, { React }) =>
        ({ error }) =>
          React.createElement('p', { role: 'alert', className: 'refusal' }, error.get('message')),
    },
  });

  /** What was pasted may have spaces around it, or the scheme before it. */
  const keyIn = (text) => text.trim().replace(/^bearer\s+/i, '');

  /** Asks getRateLimit, which every key may call and which costs nothing, whose the key is. */
  async function checked(key, system) {
    if (key === '') return { refusal: 'Enter a key.' };
    // A header cannot carry anything else.
    if (!/^[\x21-\x7e]+$/.test(key)) return { refusal: UNKNOWN, isUnknown: true };
    try {
      const response = await fetch(`${serverOf(system)}/rate-limit`, {
        headers: { Authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const body = await response.json();
      if (response.ok) return { holder: { name: body.key.name, access: body.key.access, plan: body.plan } };
      const isUnknown = response.status === 401;
      return { isUnknown, refusal: isUnknown ? UNKNOWN : `The key could not be checked: ${body.message}` };
    } catch ({ message }) {
      return { refusal: `The key could not be checked, because the service does not answer: ${message}` };
    }
  }

  /** The chosen server; before one was chosen the first. */
  function serverOf({ oas3Selectors, specSelectors }) {
    const server = oas3Selectors.selectedServer() || specSelectors.servers().first().get('url');
    return new URL(server, new URL(specSelectors.url(), document.baseURI)).href;
  }

  function holderOf({ React, authSelectors }, element, introduction) {
    const holder = authSelectors.authorized()?.getIn([SCHEME, 'holder']);
    if (!holder) return null;
    const [name, access, plan] = ['name', 'access', 'plan'].map((field) => holder.get(field));
    return React.createElement(
      element,
      { className: 'holder', role: 'status' },
      introduction,
      React.createElement('strong', null, name),
      `: ${access} access, plan ${plan}`,
    );
  }

  (window.storePlugins ??= []).push(CheckedKey);

  window.restoreKey = (ui) => {
    const key = sessionStorage.getItem(KEY_ITEM);
    if (key) ui.preauthorizeApiKey(SCHEME, key);
  };
}
