import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

/**
 * Imports point one way: functions → http, domain → audit, clouds, flow, store, keyring, policy → thin, crypto, model →
 * errors. Each row names the layers that its folder must not reach; `keyring` may use `store`, other siblings keep apart.
 * `thin` is what data planes use in place of the SDK, and knows the table's layout from `store`.
 */
const FORBIDDEN: Record<string, string[]> = {
  'shared/crypto': [
    'http',
    'domain',
    'audit',
    'clouds',
    'flow',
    'store',
    'keyring',
    'policy',
    'model',
    'thin',
    'functions',
  ],
  'shared/model': ['http', 'domain', 'audit', 'clouds', 'flow', 'store', 'keyring', 'policy', 'thin', 'functions'],
  'shared/policy': ['http', 'domain', 'audit', 'clouds', 'flow', 'store', 'keyring', 'thin', 'functions'],
  'shared/store': ['http', 'domain', 'audit', 'clouds', 'flow', 'keyring', 'policy', 'thin', 'functions'],
  'shared/audit': ['http', 'domain', 'clouds', 'flow', 'store', 'keyring', 'policy', 'thin', 'functions'],
  'shared/clouds': ['http', 'domain', 'audit', 'flow', 'store', 'keyring', 'policy', 'thin', 'functions'],
  'shared/flow': [
    'http',
    'domain',
    'audit',
    'clouds',
    'store',
    'keyring',
    'policy',
    'crypto',
    'model',
    'thin',
    'functions',
  ],
  'shared/thin': ['http', 'domain', 'audit', 'clouds', 'flow', 'keyring', 'policy', 'model', 'functions'],
  'shared/keyring': ['http', 'domain', 'audit', 'clouds', 'flow', 'policy', 'functions'],
  'shared/domain': ['http', 'functions'],
  'shared/http': ['domain', 'thin', 'functions'],
  functions: [],
}

const restrict = (layers: string[]): ['error', ...object[]] => [
  'error',
  {
    patterns: [
      {
        group: ['**/infra/**', '**/test/**', '**/bench/**'],
        message: 'Product code never imports infra, test or bench.',
      },
      ...(layers.length === 0
        ? []
        : [
            {
              group: layers.map((layer) => `**/${layer}/**`),
              message: 'Imports point one way (docs/how-it-works.md).',
            },
          ]),
    ],
  },
]

export default defineConfig(
  globalIgnores(['dist', 'cdk.out', 'node_modules', 'coverage', '.keymgr']),
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off', // arrow functions that return void read better short
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }], // { secret: _, ...shown }
      'no-console': 'error',
      eqeqeq: 'error',
      'prefer-const': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Use node:crypto.' },
        { object: 'Date', property: 'now', message: 'Now is passed in with the request (shared/time.ts).' },
      ],
    },
  },
  ...Object.entries(FORBIDDEN).map(([folder, layers]) => ({
    files: [`${folder}/**/*.ts`],
    rules: { 'no-restricted-imports': restrict(layers) },
  })),
  {
    // Answers over HTTP are looked at field by field: an assertion fails on what is not there.
    files: ['test/**', 'bench/**'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  { files: ['infra/**', 'test/**', 'bench/**'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['infra/local/start.ts', 'infra/*.ts', 'infra/aws/app.ts', 'bench/**'], rules: { 'no-console': 'off' } },
)
