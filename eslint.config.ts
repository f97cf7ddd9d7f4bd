import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

/**
 * Rooms of `shared/`, lowest first, and the rooms each may import. A slice (a folder of `clouds/` or `endpoints/`) imports
 * no slice beside it.
 */
const MAY_IMPORT: Record<string, string[]> = {
  base: [],
  crypto: ['base'],
  rego: ['base'],
  store: ['base'],
}

const ROOMS = [
  'base',
  'crypto',
  'rego',
  'store',
  'keyring',
  'http',
  'audit',
  'identity',
  'vault',
  'serving',
  'work',
  'cloud',
  'clouds',
  'endpoints',
]

const restrict = (rooms: string[]): ['error', ...object[]] => [
  'error',
  {
    patterns: [
      {
        group: ['**/infra/**', '**/test/**', '**/bench/**'],
        message: 'Product code never imports infra, test or bench.',
      },
      ...(rooms.length === 0
        ? []
        : [
            {
              regex: `^(\\.\\./)+(${rooms.join('|')})/`,
              message: 'Imports point one way (docs/how-it-works.md).',
            },
          ]),
    ],
  },
]

const WALLS: Record<string, string[]> = {
  functions: [],
  ...Object.fromEntries(
    Object.entries(MAY_IMPORT).map(([room, may]) => [
      `shared/${room}`,
      [...ROOMS.filter((other) => other !== room && !may.includes(other)), 'functions'],
    ]),
  ),
}

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
        { object: 'Date', property: 'now', message: 'Now is passed in with the request (shared/base/time.ts).' },
      ],
    },
  },
  ...Object.entries(WALLS).map(([folder, rooms]) => ({
    files: [`${folder}/**/*.ts`],
    rules: { 'no-restricted-imports': restrict(rooms) },
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
