import { defaultTheme, type RaThemeOptions } from 'react-admin';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

interface Colours {
  mode: 'light' | 'dark';
  ground: string;
  panel: string;
  line: string;
  text: string;
  quiet: string;
  accent: string;
  onAccent: string;
  bar: string;
}

/** The dress of both themes. Every pair of a text and its ground has a contrast of 4.5:1 or more. */
const dressOf = (colours: Colours): RaThemeOptions => ({
  ...defaultTheme,
  sidebar: { width: 224, closedWidth: 56 },
  shape: { borderRadius: 8 },
  typography: {
    fontFamily: FONT,
    h1: { fontSize: '1.5rem', fontWeight: 650 },
    h2: { fontSize: '1.05rem', fontWeight: 650 },
    h6: { fontSize: '1.05rem', fontWeight: 650 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
  palette: {
    mode: colours.mode,
    primary: { main: colours.accent, contrastText: colours.onAccent },
    secondary: { main: colours.accent, contrastText: colours.onAccent },
    background: { default: colours.ground, paper: colours.panel },
    divider: colours.line,
    text: { primary: colours.text, secondary: colours.quiet },
    error: { main: colours.mode === 'light' ? '#b42318' : '#ff8a80' },
    warning: { main: colours.mode === 'light' ? '#8a5300' : '#f5b74f' },
    success: { main: colours.mode === 'light' ? '#1a6b3c' : '#6fd08c' },
    info: { main: colours.mode === 'light' ? '#175cd3' : '#84b6ff' },
  },
  components: {
    ...defaultTheme.components,
    MuiCssBaseline: {
      styleOverrides: {
        body: { overflowWrap: 'anywhere' },
        ':focus-visible': { outline: `3px solid ${colours.accent}`, outlineOffset: 2 },
      },
    },
    MuiAppBar: {
      defaultProps: { elevation: 0 },
      styleOverrides: {
        root: {
          backgroundColor: colours.bar,
          color: colours.text,
          borderBottom: `1px solid ${colours.line}`,
        },
      },
    },
    MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
    MuiCard: { styleOverrides: { root: { border: `1px solid ${colours.line}` } } },
    MuiTextField: { defaultProps: { variant: 'outlined', size: 'small', margin: 'dense', fullWidth: true } },
    MuiFormControl: {
      defaultProps: { variant: 'outlined', size: 'small', margin: 'dense', fullWidth: true },
    },
    MuiCircularProgress: { defaultProps: { 'aria-label': 'Loading' } },
    // react-admin names the element around the box of a row, and not the box.
    MuiCheckbox: {
      defaultProps: {
        slotProps: { root: { 'aria-label': undefined }, input: { 'aria-label': 'Select this row' } },
      },
    },
    MuiTooltip: { defaultProps: { enterDelay: 400 } },
    MuiTableCell: {
      styleOverrides: {
        root: { borderColor: colours.line, padding: '8px 12px' },
        head: { color: colours.quiet, fontWeight: 600, whiteSpace: 'nowrap' },
      },
    },
    // A form is as wide as its column, however long its texts are.
    RaCreate: { styleOverrides: { root: { '& .RaCreate-main': { minWidth: 0 } } } },
    RaEdit: { styleOverrides: { root: { '& .RaEdit-main': { minWidth: 0 } } } },
    RaToolbar: {
      styleOverrides: {
        root: { backgroundColor: colours.panel, borderTop: `1px solid ${colours.line}` },
      },
    },
    // Above the rows, not over what is above them.
    RaBulkActionsToolbar: {
      styleOverrides: {
        root: {
          '& .RaBulkActionsToolbar-toolbar': {
            position: 'static',
            transform: 'none',
            transition: 'none',
            flexWrap: 'wrap',
            color: colours.text,
            height: 'auto',
          },
          '& .RaBulkActionsToolbar-collapsed': { display: 'none' },
        },
      },
    },
    MuiChip: { styleOverrides: { root: { fontWeight: 600 } } },
  },
});

export const light = dressOf({
  mode: 'light',
  ground: '#f6f7f9',
  panel: '#ffffff',
  line: '#dfe3e8',
  text: '#1c2430',
  quiet: '#566070',
  accent: '#0f5fbf',
  onAccent: '#ffffff',
  bar: '#ffffff',
});

export const dark = dressOf({
  mode: 'dark',
  ground: '#0e131a',
  panel: '#171e27',
  line: '#303a47',
  text: '#eef2f7',
  quiet: '#a6b1c0',
  accent: '#7db4ff',
  onAccent: '#0b1420',
  bar: '#171e27',
});
