import type { Task } from './task.js';
import * as animals from './tasks-of-animals.js';
import * as events from './tasks-of-events.js';
import * as keys from './tasks-of-keys.js';
import * as orders from './tasks-of-orders.js';
import * as partner from './tasks-of-partner.js';
import * as webhooks from './tasks-of-webhooks.js';

/** The tasks of a store's day. */
export const TASKS: Task[] = [
  ['a partner orders an animal', 'order', partner.orderAnimal],
  ['a partner orders an animal with the keyboard alone', 'order', partner.orderWithKeyboard],
  ['a partner is told that somebody was faster', 'order', partner.comeTooLate],
  ['a partner follows an order by its address', 'order', partner.followOrder],
  ['a partner cancels an order', 'order', partner.cancelOrder],
  ['a partner does not see the orders of others', 'order', partner.seeNoOthers],
  ['a partner sees what is left', 'order', partner.seeLimits],
  ['a partner reads the last 30 days as a chart and as a table', 'order', partner.readUsage],
  ['a partner gives its key a new secret and goes on with it', 'order', partner.rotateOwnKey],
  ['somebody reads the catalogue with a key that only reads', 'read', partner.readCatalogue],
  ['the store sees what waits', 'manage', orders.seeWhatWaits],
  ['the store approves an order', 'manage', orders.approve],
  ['the store approves an order with the keyboard alone', 'manage', orders.approveWithKeyboard],
  ['the store delivers an order', 'manage', orders.deliver],
  [
    'the store approves several orders at once, of which one was cancelled meanwhile',
    'manage',
    orders.approveSeveral,
  ],
  ['the store narrows the queue, and the address keeps it', 'manage', orders.narrowQueue],
  ['the store opens an order and goes Back to the list', 'manage', orders.openAndGoBack],
  ['the store adds an animal with the keyboard alone', 'manage', animals.addWithKeyboard],
  ['the store adds one animal after the other', 'manage', animals.addSeveral],
  ['the store is told beside the field what is wrong', 'manage', animals.beTold],
  ['the store renames an animal', 'manage', animals.rename],
  ['the store deletes an animal', 'manage', animals.remove],
  ['the store learns why an animal cannot be deleted', 'manage', animals.removeOrdered],
  ['the store imports a file with mistakes, and reads the report', 'manage', animals.importFile],
  [
    'an administrator finds a key by a pasted secret, of which only the beginning leaves the field',
    'admin',
    keys.findBySecret,
  ],
  ['an administrator issues a key, whose secret is shown once', 'admin', keys.issue],
  ['an administrator gives a partner limits of its own', 'admin', keys.giveLimits],
  ["an administrator gives a partner's key a new secret", 'admin', keys.rotate],
  ['an administrator revokes a key by typing its name', 'admin', keys.revoke],
  ['an administrator lifts a ban', 'admin', keys.unban],
  ['an administrator reads in sentences what was done to a key', 'admin', keys.readHistory],
  ['the store watches what happens, and opens what a line is about', 'manage', events.watch],
  ['the store narrows what happens to orders, and the address keeps it', 'manage', events.narrow],
  ['an administrator sees by name who was refused', 'admin', events.seeWhoWasRefused],
  ['a partner adds a webhook, whose secret is shown once', 'order', webhooks.add],
  ['a partner is told beside the field why an address is not taken', 'order', webhooks.beTold],
  ['a partner sends a test to a webhook', 'order', webhooks.test],
  ['a partner reads what waits for a webhook, and why', 'order', webhooks.readWhatWaits],
  ['a partner has events sent again from a moment on', 'order', webhooks.replay],
  ['a partner gives a webhook a new secret', 'order', webhooks.rotate],
  ['a partner switches a webhook off and on with the keyboard alone', 'order', webhooks.switchWithKeyboard],
  ['a partner removes a webhook', 'order', webhooks.remove],
];
