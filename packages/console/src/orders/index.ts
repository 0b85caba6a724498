import { OrderList } from './order-list';
import { OrderView } from './order-view';

export const orderViews = {
  resource: () => ({
    list: OrderList,
    show: OrderView,
    recordRepresentation: ({ id }: { id: unknown }) => `Order ${String(id)}`,
  }),
};
