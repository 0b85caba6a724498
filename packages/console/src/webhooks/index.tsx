import { WebhookCreate } from './webhook-create';
import { WebhookEdit } from './webhook-edit';
import { WebhookList } from './webhook-list';
import { WebhookView } from './webhook-view';

export const webhookViews = {
  resource: () => ({
    list: WebhookList,
    show: WebhookView,
    edit: WebhookEdit,
    create: WebhookCreate,
    recordRepresentation: 'url',
  }),
};
