import house from '../../eslint.config.js';

export default [
  ...house,
  {
    files: ['**/*.{ts,tsx}'],
    rules: {
      // Handlers of React return nothing that is awaited.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
];
