import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { SessionGate } from './session/session-gate';
import { restore } from './session/session';

// After an update of the service, a view that is opened for the first time has another file name.
window.addEventListener('vite:preloadError', () => location.reload());

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
void restore();
createRoot(root).render(
  <StrictMode>
    <SessionGate />
  </StrictMode>,
);
