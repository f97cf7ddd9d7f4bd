import type { Scheduled } from '../shared/base/room.ts'
import { isOffered, type CloudRow, type OfferedCloud } from '../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../shared/clouds/all.ts'
import { PROTOCOLS } from '../shared/endpoints/all.ts'
import type { Protocol, SingleRoute } from '../shared/endpoint/protocol.ts'
import { roomsWith } from '../shared/rooms.ts'

/**
 * Every function of the deployment, one row each: the same rows are bundled (`infra/build.ts`), deployed (`infra/aws/`)
 * and run on a laptop (`infra/local/`).
 */
export interface FunctionRow {
  /** folder of its `handler.ts` in `functions/` */
  readonly name: string
  /**
   * Paths that the front door routes to this function, including `/api`. Each matches itself and everything below it
   * (`/api/v1/vault`, `/api/v1/vault/...`); the longest match wins. `$default` matches all other paths.
   */
  readonly prefixes: readonly string[]
  /** Single routes, which take precedence over any prefix. */
  readonly calls?: readonly SingleRoute[]
  readonly memoryMiB: number
  readonly timeoutSeconds: number
  /** For a data plane: milliseconds after which the calling clouds report an error or time out. */
  readonly budgetMs?: number
  /** Access to the table, the root key, the bus and the flows: least privilege, granted by intent. */
  readonly grants: readonly Grant[]
  /**
   * The loaders that it calls: `records` for this field of every row; `synchronize.name` for one of several loaders in
   * a field; `<folder>/*` for all loaders of one row; `*` for all. Its bundle omits the modules of every other loader.
   */
  readonly loads?: readonly string[]
}

/**
 * `reads` and `writes` the table, or only `counts` uses of keys or `keeps-sessions` of callers there; `opens` sealed data with the root key;
 * `publishes` to the bus; `starts-flows` of `infra/flows.ts`; `keeps-schedules` of `JOB_SCHEDULES`; `keeps-objects`
 * writes texts to the bucket and deletes them, `shows-objects` signs addresses from which they are read;
 * `keeps-trust-store` configures the authorities that the front door accepts at the host name with mutual TLS.
 * Customers' clouds are called with the customers' credentials, never with a function's: `enters-clouds` lets a
 * function assume the role that the deployment may have for connections without credentials.
 */
export type Grant =
  | 'reads'
  | 'writes'
  | 'counts'
  | 'keeps-sessions'
  | 'opens'
  | 'publishes'
  | 'starts-flows'
  | 'keeps-schedules'
  | 'keeps-objects'
  | 'shows-objects'
  | 'keeps-trust-store'
  | 'enters-clouds'

/** A function that answers calls: a request has 29 seconds. */
const answering = (name: string, prefixes: readonly string[], more: Partial<FunctionRow> = {}): FunctionRow => ({
  name,
  prefixes,
  memoryMiB: 1024,
  timeoutSeconds: 29,
  grants: ['reads', 'writes', 'opens'],
  ...more,
})

/**
 * A function whose callers authenticate with tokens of this service: for a bound token, it checks with the authorities
 * whether the certificate is still valid. Policies decide about the members of bulk calls.
 */
const management = (
  name: string,
  prefixes: readonly string[],
  { loads = [], ...more }: Partial<FunctionRow> = {},
): FunctionRow =>
  answering(name, prefixes, {
    loads: ['certificateTrust', 'decisions', 'approvals', 'applications', ...loads],
    ...more,
  })

/**
 * For functions that create or change local keys: all possible users of a key, and the groups that permissions of keys
 * refer to.
 */
const KEY_LOADS = ['keyUser', 'dependents.local-key', 'groupDirectory']

/** The group of a cloud loads its own modules, and of other clouds only the users of keys and connections. */
const cloudGroup = ({ name, prefixes = [], takesRuntimeRole }: OfferedCloud): FunctionRow =>
  management(name, [`/api/v1/keymgr/${name}`, ...prefixes.map((prefix) => `/api${prefix}`)], {
    grants: ['reads', 'writes', 'opens', 'starts-flows', ...(takesRuntimeRole ? (['enters-clouds'] as const) : [])],
    loads: [`${name}/*`, ...KEY_LOADS],
  })

const protocolGroups = ({ dataPlane, dataPlaneHttp, keepsSessions, management: group }: Protocol): FunctionRow[] => [
  ...(group === undefined ? [] : [management(group.group, group.prefixes, { loads: KEY_LOADS })]),
  answering(dataPlane, dataPlaneHttp.prefixes, {
    ...dataPlaneHttp,
    grants: ['reads', 'counts', ...(keepsSessions ? (['keeps-sessions'] as const) : []), 'opens'],
  }),
]

/** The functions of a deployment with these clouds and protocols. */
export function functionsOf(clouds: readonly CloudRow[], protocols: readonly Protocol[]): readonly FunctionRow[] {
  const offered = clouds.filter(isOffered)
  const reported = offered.filter(({ report }) => report !== undefined)
  return [
    management('auth', ['/api/v1/auth', '/.well-known']),
    management('users', ['/api/v1/usermgmt', '/api/v1/domains', '/api/v1/domain', '/api/v1/admin'], {
      loads: ['records', 'aclHolders', 'contents', 'domainAuthorities', 'groupDirectory', 'keepsGroups'],
    }),
    management('vault', ['/api/v1/vault', '/api/v1/keymgr/ciphertexts'], { loads: [...KEY_LOADS, 'inspect'] }),
    management('ca', ['/api/v1/ca'], {
      grants: ['reads', 'writes', 'opens', 'keeps-objects', 'shows-objects'],
      loads: KEY_LOADS,
    }),
    management('clients', ['/api/v1/client-management']),
    management(
      'audit',
      [
        '/api/v1/audit',
        '/api/v1/configs/log-forwarders',
        '/api/v1/configs/log-forwarders-domain-redirection',
        '/api/v1/configs/properties',
        '/api/v1/configs/syslogs',
        '/api/v1/system',
      ],
      {
        memoryMiB: 512,
        grants: ['reads', 'writes', 'opens', 'shows-objects'],
        loads: ['inventory', 'syslogConnections'],
      },
    ),
    answering('platform', ['/platform/auth', '/platform/api'], {
      memoryMiB: 512,
      grants: ['reads', 'writes', 'opens', 'starts-flows', 'shows-objects'],
    }),
    management('connections', ['/api/v1/connectionmgmt'], {
      grants: ['reads', 'writes', 'opens', 'enters-clouds'],
      loads: ['connection', 'records', 'connectionUsers'],
    }),
    management(
      'settings',
      [
        '/api/v1/approvals',
        '/api/v1/emergency',
        '/api/v1/keymgr/settings',
        '/api/v1/keymgr/cloud-units',
        '/api/v1/keymgr/key-totals',
        '/api/v1/service-levels',
      ],
      { loads: ['records', 'keyTotals', 'blockable', 'blockableKey', 'levels'] },
    ),
    ...offered.map(cloudGroup),
    ...protocols.flatMap(protocolGroups),
    management('scheduler', ['/api/v1/scheduler'], {
      grants: ['reads', 'writes', 'opens', 'starts-flows', 'keeps-schedules'],
      loads: ['synchronize', 'rotate', 'discover', 'jobOperations.load', 'groupDirectory'],
    }),
    management(
      'reports',
      reported.map(({ name }) => `/api/v1/keymgr/${name}/reports`),
      { grants: ['reads', 'writes', 'opens', 'starts-flows', 'shows-objects'], loads: ['report'] },
    ),
    { name: 'guide', prefixes: ['/api/v1/openapi.json'], memoryMiB: 256, timeoutSeconds: 10, grants: [] },
    { name: 'pages', prefixes: ['/api/guide', '/console'], memoryMiB: 512, timeoutSeconds: 10, grants: [] },
    { name: 'front', prefixes: ['$default'], memoryMiB: 256, timeoutSeconds: 10, grants: [] },
    answering('triggers', [], {
      timeoutSeconds: 300,
      grants: [
        'reads',
        'writes',
        'opens',
        'publishes',
        'starts-flows',
        'keeps-schedules',
        'keeps-objects',
        'keeps-trust-store',
        'enters-clouds',
      ],
      loads: ['*'],
    }),
  ]
}

export const FUNCTIONS: readonly FunctionRow[] = functionsOf(CLOUDS, PROTOCOLS)

/** A scheduled start of the `triggers` function: the `schedules` of a row. */
export type ScheduleRow = Omit<Scheduled, 'run'>

export const SCHEDULES: readonly ScheduleRow[] = roomsWith(CLOUDS, PROTOCOLS).flatMap(({ schedules = [] }) => schedules)

/**
 * Schedules that functions manage, one or two for each job configuration (`shared/work/flow/schedules.ts`): in a group
 * of their own, whose role may only start one flow.
 */
export const JOB_SCHEDULES = { group: 'keymgr-jobs', flow: 'run-job' } as const

/**
 * Functions that answer before anything could be written. Their log lines with `"audit": true`, `"used"`, `"emergency"`,
 * `"figures"` or `"levels"` are delivered to the `triggers` function, which turns them into audit records, records when a credential was used,
 * and adds up the counts.
 */
export const AUDITED_BY_LOG: readonly string[] = PROTOCOLS.map(({ dataPlane }) => dataPlane)

/**
 * The table, as created in both places. Items with waiting work have `due` (what) and `due_at` (when, RFC 3339): a
 * sparse index, so that sweepers read only what is due.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  dueIndex: { name: 'due', partitionKey: 'due', sortKey: 'due_at' },
} as const

/**
 * Attributes that the grant `counts` may change: the number of a key's uses, and the due name and time of its rotation.
 */
export const COUNTED = ['uses', TABLE.dueIndex.partitionKey, TABLE.dueIndex.sortKey] as const

/**
 * Names of the environment variables that every function reads (`shared/base/environment.ts`). Only functions that
 * start flows have the flows' addresses: those names are in `infra/flows.ts`.
 */
export const FUNCTION_ENVIRONMENT = {
  /** name of the table */
  table: 'KEYMGR_TABLE',
  /** id, alias or address of the deployment's root key */
  rootKey: 'KEYMGR_ROOT_KEY',
  /** name of the event bus */
  bus: 'KEYMGR_BUS',
  /** `https://host` of the service, without `/api`: issuer of its tokens */
  baseUrl: 'KEYMGR_BASE_URL',
} as const

/**
 * Further variable of every function if `KEYMGR_BASE_URL` is without TLS, as on a laptop: the same service with TLS.
 */
export const TLS_URL = 'KEYMGR_TLS_URL'

/** Further variable of functions with the grant `publishes`: days that audit records are kept, or `never`. */
export const AUDIT_RETENTION = 'KEYMGR_AUDIT_RETENTION_DAYS'

/**
 * Further variable of functions with the grants `writes` and `opens`, which create local keys: `allowed` or `refused`.
 */
export const LEGACY_ALGORITHMS = 'KEYMGR_LEGACY_ALGORITHMS'

/** Further variable of every function: `off` keeps the traces of callers from clouds. */
export const TRACE_TO_CLOUDS = 'KEYMGR_TRACE_TO_CLOUDS'

/** Further variable of every function: the collector to which spans of traces go. */
export const OTLP_ENDPOINT = 'KEYMGR_OTLP_ENDPOINT'

/** Further variables of functions with the grant `enters-clouds`, if the deployment has a role for that. */
export const RUNTIME_ROLE_ENVIRONMENT = {
  arn: 'KEYMGR_RUNTIME_ROLE',
  /** passed when the role is assumed; optional */
  externalId: 'KEYMGR_RUNTIME_ROLE_EXTERNAL_ID',
} as const

/** Further variables of functions with the grant `keeps-schedules`, in addition to the address of the flow. */
export const SCHEDULE_ENVIRONMENT = {
  /** name of the group */
  group: 'KEYMGR_SCHEDULE_GROUP',
  /** address of the role that the schedules assume */
  role: 'KEYMGR_SCHEDULE_ROLE',
  /** address of the queue for starts that could not be delivered */
  deadLetters: 'KEYMGR_SCHEDULE_DEAD_LETTERS',
} as const

/** Functions with one of these have the variables of the bucket. */
export const OBJECT_GRANTS: readonly Grant[] = ['keeps-objects', 'shows-objects', 'keeps-trust-store']

/** Their further variables. */
export const OBJECT_ENVIRONMENT = {
  /** name of the bucket */
  bucket: 'KEYMGR_BUCKET',
} as const

/** Further variables of functions with the grant `keeps-trust-store`, if there is a host name with mutual TLS. */
export const TRUST_STORE_ENVIRONMENT = {
  /** the host name */
  domain: 'KEYMGR_MTLS_DOMAIN',
  /** `s3://bucket/key`: PEM of the authorities that the deployment itself accepts there */
  roots: 'KEYMGR_MTLS_ROOTS',
} as const

/** Prefix of the trust stores' object keys. */
export const TRUST_STORES = 'trust-store/'

/**
 * Prefix of the reports' object keys. A report deletes its own objects; `afterDays` removes those left by an
 * interruption: the retention of a report (90 days), and a day.
 */
export const OBJECTS = { prefix: 'reports/', afterDays: 91, unfinishedDays: 1 } as const
