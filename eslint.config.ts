import fs from 'node:fs'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

/**
 * Rooms of `shared/`, lowest first, and the rooms that each may import. The files next to the slices (`all.ts`) and
 * `wiring.ts` may import every slice; a slice (a folder of `clouds/` or `endpoints/`) must not import another slice.
 */
const MAY_IMPORT: Record<string, string[]> = {
  base: [],
  crypto: ['base'],
  attestation: ['base', 'crypto'],
  rego: [],
  tls: ['base', 'crypto'],
  store: ['base'],
  keyring: ['base', 'crypto', 'store'],
  http: ['base', 'store', 'keyring'],
  resource: ['base', 'store', 'keyring', 'http'],
  identity: ['base', 'crypto', 'store', 'keyring', 'http', 'resource'],
  audit: ['base', 'crypto', 'rego', 'store', 'keyring', 'http', 'resource', 'identity'],
  approvals: ['base', 'store', 'http', 'resource', 'identity'],
  emergency: ['base', 'store', 'http', 'resource', 'identity', 'audit'],
  levels: ['base', 'store', 'http', 'resource', 'audit'],
  vault: ['base', 'crypto', 'store', 'keyring', 'http', 'resource', 'audit', 'emergency'],
  metrics: ['base', 'crypto', 'store', 'http', 'resource', 'identity', 'vault'],
  certificates: ['base', 'crypto', 'store', 'keyring', 'http', 'resource', 'identity', 'audit', 'emergency', 'vault'],
  work: ['base', 'store', 'http', 'resource', 'vault'],
  'audit-exports': ['base', 'crypto', 'store', 'keyring', 'http', 'resource', 'identity', 'audit', 'vault', 'work'],
  serving: ['base', 'crypto', 'rego', 'store', 'keyring', 'http', 'audit', 'emergency', 'levels', 'vault', 'work'],
  endpoint: ['base', 'crypto', 'rego', 'store', 'keyring', 'http', 'resource', 'audit', 'vault', 'work', 'serving'],
  cloud: [
    ...['base', 'crypto', 'store', 'keyring', 'http', 'resource', 'audit', 'identity', 'emergency', 'levels'],
    ...['vault', 'work'],
  ],
}

const ROOMS = [...Object.keys(MAY_IMPORT), 'clouds', 'endpoints']

/** Folders within a room, and the sibling folders that each may import besides their `model.ts` and `store.ts`. */
const FOLDERS: Record<string, Record<string, string[]>> = {
  identity: {
    'password-policies': [],
    groups: [],
    clients: ['groups', 'users'],
    users: ['groups', 'password-policies'],
    connections: ['groups', 'users'],
    domains: ['groups', 'users'],
    policies: [],
    banners: [],
    tokens: ['clients', 'connections', 'users', 'password-policies', 'policies', 'banners'],
  },
  audit: {
    log: [],
    cbom: [],
    properties: [],
    alarms: ['log'],
    evidence: ['log'],
    forwarding: ['log'],
    system: ['log'],
    passport: ['log', 'evidence'],
  },
  work: {
    flow: [],
    sagas: [],
    engine: ['flow'],
    bulk: ['engine'],
    report: ['engine'],
    synchronize: ['engine'],
    schedule: ['engine', 'flow', 'synchronize'],
  },
  cloud: {
    adapter: [],
    connections: ['adapter'],
    containers: ['connections'],
    keys: ['adapter', 'containers'],
    settings: ['keys'],
  },
  rego: { builtins: [], parse: [], compile: ['parse', 'builtins'], eval: ['compile', 'builtins'] },
}

/**
 * Folders in which no cloud or protocol may be named: all but the slices, the simulators, the demo's stories and the
 * tests.
 */
const WITHOUT_NAMES = [...Object.keys(MAY_IMPORT).map((room) => `shared/${room}/**`), 'functions/**', 'infra/**']

const NAMES = 'Names of clouds and protocols stand in their own folders.'
const NAME = '/^(cloud-[a-d]|crm|datacust|docsuite|kacls|dke)($|[^a-z])/'

const oneWay = (regex: string) => ({ regex, message: 'Imports point one way (docs/architecture.md).' })

/** Patterns of imports that are forbidden in a file of `shared/<room>`. */
const wallsOf = (room: string): object[] => {
  const may = MAY_IMPORT[room]
  const not = ROOMS.filter((other) => other !== room && !may?.includes(other))
  return may === undefined ? [] : [oneWay(`^(\\.\\./)+(${[...not, 'functions'].join('|')})/`)]
}

const inside = (room: string, folder: string): object[] => {
  const folders = FOLDERS[room] ?? {}
  const not = Object.keys(folders).filter((other) => other !== folder && !folders[folder]?.includes(other))
  return [oneWay(`^(\\.\\./)+(${not.join('|')})/(?!(.+/)?(model|store)\\.ts)`)]
}

const slicesOf = (room: string): string[] =>
  fs
    .readdirSync(`${import.meta.dirname}/shared/${room}`, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

/** A cloud imports no other cloud and no protocol, a protocol no other protocol. */
const besideSlice = (room: string, slice: string): object[] => {
  const others = slicesOf(room).filter((other) => other !== slice)
  const rooms = room === 'clouds' ? ['endpoints', 'functions'] : ['functions']
  return [
    oneWay(`^(\\.\\./)+(${rooms.join('|')})/`),
    ...(others.length === 0 ? [] : [oneWay(`/(${others.join('|')})/`)]),
  ]
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** All spellings of a name in paths, fields, constants and types: `cloud-a`, `cloud_a`, `CLOUD_A`, `cloudA`. */
function spellingsOf(name: string): string {
  const [first = '', ...rest] = name.split('-')
  const tail = `${rest.map((part) => `(?:[-_]${part}|[-_]?${capitalized(part)})`).join('')}(?![a-z])`
  return [`(?<![a-z])${first}${tail}`, capitalized(first) + tail, name.replace('-', '_').toUpperCase()].join('|')
}

/** Names that clients may only use in the folders of clouds and protocols, which correspond to those of the service. */
const CLIENT_NAME = `/${['clouds', 'endpoints'].flatMap(slicesOf).map(spellingsOf).join('|')}/`

const walls = (files: string, patterns: object[]) => ({
  files: [`${files}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['**/infra/**', '**/test/**', '**/bench/**'],
            message: 'Product code never imports infra, test or bench.',
          },
          { regex: '/rego/(?!(?:index|light)\\.ts$)', message: 'Rego is a package with two entries.' },
          ...patterns,
        ],
      },
    ] as ['error', object],
  },
})

export default defineConfig(
  globalIgnores(['dist', 'cdk.out', 'node_modules', 'coverage', '.keymgr', 'clients/sdk/api.d.ts']),
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off', // arrow functions that return void are shorter to read
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
  ...['functions', 'shared'].map((folder) => walls(folder, [])),
  {
    // a simulator that used the product's code would share its defects, and could not find them
    files: ['infra/simulators/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(\\.\\./)+(shared|functions|clients|local|aws|test)/',
              message: 'Simulators import nothing of the product.',
            },
          ],
        },
      ],
    },
  },
  { files: ['clients/{guide,web,console}/**'], rules: { 'no-restricted-properties': 'off' } }, // pages have no clock but the browser's
  // Distributed programs are one file each, and contain at most pure parts of the service.
  walls('clients', [oneWay('^(\\.\\./)+(functions/|shared/(?!(base|crypto)/))')]),
  // The library is independent; code based on it imports nothing else of the project.
  walls('clients/sdk', [
    oneWay('^\\.\\./'),
    { regex: '^node:', message: 'Pages have no Node: node.ts has what needs it.' },
  ]),
  { files: ['clients/sdk/node.ts'], rules: walls('clients/sdk', [oneWay('^\\.\\./')]).rules },
  walls('clients/cli', [oneWay('^(\\.\\./)+(functions|shared|guide|verify|console)/')]),
  walls('clients/console', [oneWay('^(\\.\\./)+(functions|shared|guide|verify|cli)/')]),
  ...ROOMS.map((room) => walls(`shared/${room}`, wallsOf(room))),
  ...Object.entries(FOLDERS).flatMap(([room, folders]) =>
    Object.keys(folders).map((folder) =>
      walls(`shared/${room}/${folder}`, [...wallsOf(room), ...inside(room, folder)]),
    ),
  ),
  ...['clouds', 'endpoints'].flatMap((room) =>
    slicesOf(room).map((slice) => walls(`shared/${room}/${slice}`, besideSlice(room, slice))),
  ),
  {
    files: WITHOUT_NAMES,
    ignores: ['infra/simulators/**', 'infra/local/demo/*/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: `Literal[value=${NAME}]`, message: NAMES },
        { selector: `TemplateElement[value.raw=${NAME}]`, message: NAMES },
      ],
    },
  },
  {
    files: ['clients/**'],
    // Tables that are generated, and in the console the folder of each cloud and protocol with the two lists of them.
    ignores: [
      'clients/**/described.ts',
      'clients/console/{clouds,endpoints}/*/**',
      'clients/console/{clouds,endpoints}.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...['Literal[value', 'TemplateElement[value.raw', 'JSXText[value', 'Identifier[name'].map((node) => ({
          selector: `${node}=${CLIENT_NAME}]`,
          message: NAMES,
        })),
      ],
    },
  },
  {
    // assertions read answers over HTTP field by field, and fail on missing ones
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
  {
    files: ['test/**'],
    ignores: ['test/support/hang.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'MemberExpression[property.name=/^toBeLess/] > CallExpression:has(MemberExpression[object.name="performance"])',
          message: 'No time decides a test: use expectNoHang, and measure in bench/.',
        },
      ],
    },
  },
  { files: ['infra/**', 'test/**', 'bench/**'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['infra/local/start.ts', 'infra/*.ts', 'infra/openapi/choose-examples.ts', 'infra/aws/app.ts', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
)
