import { describe, expect, it } from '@jest/globals';
import { ACCESS_LEVELS, type Access } from '../../src/auth/access.js';
import { anyKind } from '../support/databases.js';
import { OPERATIONS } from '../support/http/document.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

/** The operations that each step of the ladder adds. */
const TAKES: Record<Access, string> = {
  read: 'listPets getPet listEvents getInventory getRateLimit getUsage',
  order: `listOrders placeOrder getOrder cancelOrder listWebhooks createWebhook getWebhook updateWebhook deleteWebhook rotateWebhookSecret
    testWebhook`,
  manage: 'createPet createPets updatePet deletePet approveOrder deliverOrder',
  admin:
    'listKeys createKey getKey updateKey revokeKey rotateKey unbanKey listKeyEvents getKeyUsage getKeyLimits',
};

const accessOf = (operationId: string): Access =>
  ACCESS_LEVELS.find((access) => TAKES[access].split(/\s+/).includes(operationId))!;

describe('the access of a key', () => {
  const service = sharedService(anyKind);
  const stores = {
    read: storeOf(service, { access: 'read' }),
    order: storeOf(service, { access: 'order' }),
    manage: storeOf(service, { access: 'manage' }),
    admin: storeOf(service, { access: 'admin' }),
  };
  const cases = OPERATIONS.flatMap((operation) =>
    ACCESS_LEVELS.map((held) => ({ ...operation, held, required: accessOf(operation.operationId) })),
  );

  it.each(cases)('$held meets $operationId as documented', async ({ method, path, held, required }) => {
    const target = path.replaceAll(/\{\w+\}/g, '999999999999');
    // A query that no operation takes: what is let through is refused without an effect.
    const answer = await stores[held].send({ method, path: `${target}?undeclared=1` });
    const isEnough = ACCESS_LEVELS.indexOf(held) >= ACCESS_LEVELS.indexOf(required);
    const message = expectError(answer, isEnough ? 'invalid_parameter' : 'insufficient_access');
    if (!isEnough) expect(message).toContain(`takes a key with ${required} access`);
  });

  it('is in the document for every operation', () => {
    for (const { operationId, ...operation } of OPERATIONS) {
      const required = accessOf(operationId);
      expect([operationId, operation['x-required-access']]).toEqual([operationId, required]);
      expect(operation.description).toContain(`\`${required}\` access`);
      expect([operationId, '403' in operation.responses]).toEqual([operationId, required !== 'read']);
    }
  });
});
