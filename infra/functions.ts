import type { Scheduled } from '../shared/base/room.ts'
import { isOffered, type CloudRow, type OfferedCloud } from '../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../shared/clouds/all.ts'
import { PROTOCOLS } from '../shared/endpoints/all.ts'
import type { Protocol, SingleRoute } from '../shared/endpoint/protocol.ts'
import { roomsWith } from '../shared/rooms.ts'

/**
 * Every function of the deployment, one row each: the same rows are bundled (`infra/build.ts`), deployed
 * (`infra/aws/`) and run on a laptop (`infra/local/`).
 */
export interface FunctionRow {
  /** folder of its `handler.ts` in `functions/` */
  readonly name: string
  /**
   * Paths the front door hands to this function, `/api` included. Each stands for itself and everything below it
   * (`/api/v1/vault`, `/api/v1/vault/...`); the longest match wins. `$default` takes all other paths.
   */
  readonly prefixes: readonly string[]
  /** Single routes. Such a route comes before any prefix. */
  readonly calls?: readonly SingleRoute[]
  readonly memoryMiB: number
  readonly timeoutSeconds: number
  /** Of a data plane: milliseconds after which the clouds that call it complain or give up. */
  readonly budgetMs?: number
  /** Access to the table, the root key, the bus and the flows: least privilege, granted by intent. */
  readonly grants: readonly Grant[]
  /**
   * Fields of rows whose loaders it calls: `records`, the field of every row, or `synchronize.name` for one of several loaders
   * in a field; `<folder>/*` for all of one row; `*` for all. The modules of every other loader are left out of its bundle.
   */
  readonly loads?: readonly string[]
}

/**
 * `reads` and `writes` the table, or only `counts` uses of keys there; `opens` sealed data with the root key; `publishes` to the bus; `starts-flows` of
 * `infra/flows.ts`; `keeps-schedules` of `JOB_SCHEDULES`; `keeps-objects` puts texts into the bucket and takes them away,
 * `shows-objects` hands out addresses at which they are fetched; `keeps-trust-store` tells the front door whose certificates
 * count at the host name with mutual TLS. Customers' clouds are called with credentials of theirs, never
 * with a function's: `enters-clouds` lets a function take the one role that the deployment keeps for connections without
 * credentials, where it keeps one.
 */
export type Grant =
  | 'reads'
  | 'writes'
  | 'counts'
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
 * A function whose callers bring tokens of this service: the authorities are asked whether the certificate that a token is
 * bound to still stands.
 */
const management = (
  name: string,
  prefixes: readonly string[],
  { loads = [], ...more }: Partial<FunctionRow> = {},
): FunctionRow => answering(name, prefixes, { loads: ['certificateTrust', ...loads], ...more })

/** For functions that make or change local keys: all that may use one, and the groups to which permissions of keys refer. */
const KEY_LOADS = ['keyUser', 'groupDirectory']

/** The group of a cloud loads its own modules, and of others only what every key or connection may be used by. */
const cloudGroup = ({ name, prefixes = [], takesRuntimeRole }: OfferedCloud): FunctionRow =>
  management(name, [`/api/v1/keymgr/${name}`, ...prefixes.map((prefix) => `/api${prefix}`)], {
    grants: ['reads', 'writes', 'opens', 'starts-flows', ...(takesRuntimeRole ? (['enters-clouds'] as const) : [])],
    loads: [`${name}/*`, ...KEY_LOADS],
  })

const protocolGroups = ({ dataPlane, dataPlaneHttp, management: group }: Protocol): FunctionRow[] => [
  ...(group === undefined ? [] : [management(group.group, group.prefixes, { loads: KEY_LOADS })]),
  answering(dataPlane, dataPlaneHttp.prefixes, {
    ...dataPlaneHttp,
    grants: ['reads', 'counts', 'opens'],
  }),
]

/** The functions of a deployment with these clouds and protocols. */
export function functionsOf(clouds: readonly CloudRow[], protocols: readonly Protocol[]): readonly FunctionRow[] {
  const offered = clouds.filter(isOffered)
  const reported = offered.filter(({ report }) => report !== undefined)
  return [
    management('auth', ['/api/v1/auth', '/.well-known']),
    management('users', ['/api/v1/usermgmt', '/api/v1/domains', '/api/v1/domain', '/api/v1/admin'], {
      loads: ['records', 'contents', 'domainAuthorities', 'groupDirectory'],
    }),
    management('vault', ['/api/v1/vault'], { loads: KEY_LOADS }),
    management('ca', ['/api/v1/ca'], { loads: KEY_LOADS }),
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
    management('settings', ['/api/v1/keymgr/settings', '/api/v1/keymgr/cloud-units'], { loads: ['records'] }),
    ...offered.map(cloudGroup),
    ...protocols.flatMap(protocolGroups),
    management('scheduler', ['/api/v1/scheduler'], {
      grants: ['reads', 'writes', 'opens', 'starts-flows', 'keeps-schedules'],
      loads: ['synchronize', 'rotate', 'jobOperations.load', 'groupDirectory'],
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
 * Schedules that functions keep, one or two for each job configuration (`shared/work/flow/schedules.ts`): a group of their own,
 * whose role may start one flow and nothing else.
 */
export const JOB_SCHEDULES = { group: 'keymgr-jobs', flow: 'run-job' } as const

/**
 * Functions that answer before anything could be written: those of their log lines that say `"audit": true`,
 * `"used"` or `"figures"` are delivered to the `triggers` function, which makes audit records of them, keeps when a credential
 * was used, and adds up what they counted.
 */
export const AUDITED_BY_LOG: readonly string[] = PROTOCOLS.map(({ dataPlane }) => dataPlane)

/**
 * The table, as both places create it. Rows that wait for something carry `due` (what for) and `due_at` (when, RFC
 * 3339): a sparse index, so that sweepers read what is due and nothing else.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  dueIndex: { name: 'due', partitionKey: 'due', sortKey: 'due_at' },
} as const

/** Attributes that the grant `counts` may change: the number of a key's uses, and the note that it is due for another version. */
export const COUNTED = ['uses', TABLE.dueIndex.partitionKey, TABLE.dueIndex.sortKey] as const

/**
 * Names of the environment variables every function reads (`shared/base/environment.ts`). The addresses of the flows are told
 * only to functions that start them: their names are in `infra/flows.ts`.
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

/** Further variable of every function where `KEYMGR_BASE_URL` is without TLS, as on a laptop: the same service with it. */
export const TLS_URL = 'KEYMGR_TLS_URL'

/** Further variable of functions with the grant `publishes`: days that audit records are kept, or `never`. */
export const AUDIT_RETENTION = 'KEYMGR_AUDIT_RETENTION_DAYS'

/** Further variable of functions with the grants `writes` and `opens`, which make local keys: `allowed` or `refused`. */
export const LEGACY_ALGORITHMS = 'KEYMGR_LEGACY_ALGORITHMS'

/** Further variables of functions with the grant `enters-clouds`, where the deployment keeps a role for that. */
export const RUNTIME_ROLE_ENVIRONMENT = {
  arn: 'KEYMGR_RUNTIME_ROLE',
  /** told when the role is taken; none is without */
  externalId: 'KEYMGR_RUNTIME_ROLE_EXTERNAL_ID',
} as const

/** Further variables of functions with the grant `keeps-schedules`, beside the address of the flow that is started. */
export const SCHEDULE_ENVIRONMENT = {
  /** name of the group */
  group: 'KEYMGR_SCHEDULE_GROUP',
  /** address of the role that the schedules take */
  role: 'KEYMGR_SCHEDULE_ROLE',
  /** address of the queue for starts that could not be delivered */
  deadLetters: 'KEYMGR_SCHEDULE_DEAD_LETTERS',
} as const

/** Functions with one of these are told where objects are. */
export const OBJECT_GRANTS: readonly Grant[] = ['keeps-objects', 'shows-objects', 'keeps-trust-store']

/** Their further variables. */
export const OBJECT_ENVIRONMENT = {
  /** name of the bucket */
  bucket: 'KEYMGR_BUCKET',
} as const

/** Further variables of functions with the grant `keeps-trust-store`, where there is a host name with mutual TLS. */
export const TRUST_STORE_ENVIRONMENT = {
  /** the host name */
  domain: 'KEYMGR_MTLS_DOMAIN',
  /** `s3://bucket/key`: PEM of the authorities that the deployment itself lets in there */
  roots: 'KEYMGR_MTLS_ROOTS',
} as const

/** Trust stores are kept under this prefix. */
export const TRUST_STORES = 'trust-store/'

/**
 * Objects are kept under this prefix. A report removes its own; `afterDays` is for what a stop in the wrong moment left:
 * the longest that a report is kept (90 days), and a day.
 */
export const OBJECTS = { prefix: 'reports/', afterDays: 91, unfinishedDays: 1 } as const
