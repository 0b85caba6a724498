/** What the service does not take yet. A line goes when its operation is there. */
export const TAKES: Record<'order' | 'orderFilters' | 'keySearch' | 'keyLimits' | 'batches', boolean> = {
  order: false,
  orderFilters: false,
  keySearch: true,
  keyLimits: true,
  batches: false,
};
