import { memoryStore } from 'react-admin';

/** Settings of this visit, such as the theme and the filters of lists. Nothing is kept beyond it: the browser stores only the key. */
export const store = memoryStore();

/** The theme that was chosen with the switch; undefined: that of the system. */
export const chosenTheme = () => store.getItem<'light' | 'dark' | undefined>('theme');
