/* What all parts of the page use. Text from the service goes into text nodes, never into markup. */

const NOTICE_DAYS = 14;
const DAY_MS = 86_400_000;

export const PLANS = ['free', 'pro', 'business', 'enterprise'];
export const ACCESSES = ['read', 'order', 'manage', 'admin'];
export const STATES = ['active', 'banned', 'expired', 'revoked'];

export const at = (id) => document.getElementById(id);
export const number = new Intl.NumberFormat('en');

/** Creates an element; children are nodes, or strings that become text. */
export function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

/** Text that somebody else wrote: its direction does not leak into what surrounds it. */
export const foreign = (text) => element('bdi', {}, text);

export function fillSelect(select, values, all) {
  const options = values.map((value) => element('option', { value }, value));
  select.replaceChildren(...(all === undefined ? [] : [element('option', { value: '' }, all)]), ...options);
}

/** A moment in UTC to the minute. */
export function moment(iso) {
  return element('time', { dateTime: iso }, `${iso.slice(0, 16).replace('T', ' ')} UTC`);
}

/** The UTC day of a moment, with its minute as a tooltip. */
export function day(iso) {
  return Object.assign(moment(iso), { title: moment(iso).textContent, textContent: iso.slice(0, 10) });
}

/** When a key ends, and how soon if that is within 14 days. */
export function expiry({ expiresAt, state }, shownAs = moment) {
  if (expiresAt === null) return ['never'];
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / DAY_MS);
  const isSoon = (state === 'active' || state === 'banned') && days < NOTICE_DAYS;
  const soon = days < 1 ? 'within a day' : days === 1 ? 'in 1 day' : `in ${days} days`;
  return [shownAs(expiresAt), ...(isSoon ? [' ', element('strong', { className: 'soon' }, soon)] : [])];
}

export function limits({ plan, perMinute, perDay }) {
  if (perMinute === null || perDay === null) return plan;
  return `${plan}: ${number.format(perMinute)} a minute, ${number.format(perDay)} a day`;
}

export function showState(node, state) {
  node.textContent = state;
  node.className = `state ${state}`;
}

/** Shows a message, or hides its element for an empty one. */
export function tell(node, message) {
  node.textContent = message;
  node.hidden = message === '';
}
