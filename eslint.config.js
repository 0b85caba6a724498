import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** House style as lint: what a reviewer would otherwise say by hand. */
export default tseslint.config(
  {
    ignores: [
      '**/dist',
      'data',
      'coverage',
      'bench/results',
      'bench/.built',
      'packages/client/src/api-types.ts',
      // A project of its own, which checks itself with these rules.
      'packages/console',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Nest modules are classes that carry nothing but their decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      // A DTO describes a shape; plain objects of that shape are welcome.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // One door to the environment: src/config.
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read settings through src/config.' },
      ],
      'no-restricted-imports': [
        'error',
        {
          name: '@nestjs/throttler',
          importNames: ['Throttle'],
          message: 'Limits belong to plans: src/auth/plans.ts.',
        },
      ],
      'no-console': 'error',
      // A parameter may be there for its decorator alone.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/platform/config/**', '**/test/**', '**/scripts/**', 'bench/**', '**/*.spec.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['**/test/**', '**/scripts/**', 'bench/**', '**/*.spec.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['**/*-spec.ts', '**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { name: 'node:timers/promises', message: 'A test turns a clock or waits for an event (until).' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          // Asking again and again, in a while, is waiting for an event.
          selector:
            ':not(WhileStatement) > ExpressionStatement > AwaitExpression > NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"]',
          message: 'A test turns a clock or waits for an event (until); it never sleeps.',
        },
      ],
    },
  },
  {
    files: ['**/*[A-Z_]*.ts'],
    rules: {
      'no-restricted-syntax': ['error', { selector: 'Program', message: 'File names are kebab-case.' }],
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      globals: {
        module: 'readonly',
        process: 'readonly',
        document: 'readonly',
        FormData: 'readonly',
        navigator: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        AbortSignal: 'readonly',
        window: 'readonly',
        location: 'readonly',
        matchMedia: 'readonly',
        console: 'readonly',
        localStorage: 'readonly',
        sessionStorage: 'readonly',
        fetch: 'readonly',
        getComputedStyle: 'readonly',
        setInterval: 'readonly',
      },
    },
  },
);
