import { useSyncExternalStore } from 'react';

let isConnected = true;
const listeners = new Set<() => void>();

function set(connected: boolean): void {
  if (connected === isConnected) return;
  isConnected = connected;
  listeners.forEach((listener) => listener());
}

/** A fetch that remembers whether the last request got any answer. */
export const watchedFetch: typeof fetch = async (...input) => {
  try {
    const response = await fetch(...input);
    set(true);
    return response;
  } catch (error) {
    // An aborted request says nothing about the network.
    if (error instanceof TypeError) set(false);
    throw error;
  }
};

window.addEventListener('offline', () => set(false));

/** Whether the service answered the last request. */
export const useConnected = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isConnected,
  );
